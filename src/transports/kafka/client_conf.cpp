#include "transports/kafka/client_conf.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>

namespace makegood::kafka {
namespace {

constexpr std::size_t text_max = 512;
/// A token's own end is its issuer's business; it is read again well before most of them end.
constexpr std::chrono::minutes token_lifetime{5};

}  // namespace

void ClientConf::set(const char* name, const std::string& value) {
  std::array<char, text_max> why = {};
  if (rd_kafka_conf_set(conf_.get(), name, value.c_str(), why.data(), why.size()) != RD_KAFKA_CONF_OK && is_good_) {
    is_good_ = false;
    wrong_ = name;  // Not its words: they may quote the value, which may be a secret.
  }
}

void ClientConf::set_if_any(const char* name, const std::string& value) {
  if (!value.empty()) set(name, value);
}

Result<rd_kafka_t*> ClientConf::open(rd_kafka_type_t type) {
  if (!is_good_) return Error{Errc::config_invalid, fmt::format("librdkafka refuses the setting {}.", wrong_)};
  rd_kafka_conf_set_log_cb(conf_.get(), [](const rd_kafka_t*, int, const char*, const char*) {});
  std::array<char, text_max> why = {};
  rd_kafka_t* client = rd_kafka_new(type, conf_.get(), why.data(), why.size());
  if (client == nullptr) return Error{Errc::config_invalid, fmt::format("librdkafka: {}.", why.data())};
  static_cast<void>(conf_.release());  // The client has it now.
  return client;
}

Result<> ClientConf::set_access(const broker::Access& access, KafkaSettings::Sasl sasl, net::Secrets& secrets) {
  constexpr auto mechanisms =
      std::to_array<const char*>({"", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"});
  std::string servers;
  for (const broker::Server& server : access.servers) {
    const bool is_v6 = server.host.contains(':');
    servers += fmt::format("{}{}{}{}:{}", servers.empty() ? "" : ",", is_v6 ? "[" : "", server.host, is_v6 ? "]" : "",
                           server.port);
  }
  const bool is_tls = access.servers.front().is_tls;
  const auto mechanism = static_cast<std::size_t>(sasl);
  set("bootstrap.servers", servers);
  set("security.protocol", fmt::format("{}{}", mechanism != 0 ? "sasl_" : "", is_tls ? "ssl" : "plaintext"));
  if (mechanism != 0) set("sasl.mechanisms", mechanisms.at(mechanism));
  set_if_any("sasl.username", access.username);
  if (const auto password = access.secrets.find("password"); password != access.secrets.end()) {
    set("sasl.password", MAKEGOOD_TRY(secrets.read(password->second, access.places)).reveal());
  }
  set_if_any("ssl.ca.location", access.ca_file);
  set_if_any("ssl.certificate.location", access.client_certificate);
  set_if_any("ssl.key.location", access.client_key);
  return {};
}

Result<> give_token(rd_kafka_t* client, const broker::Access& access, net::Secrets& secrets, const Clock& clock) {
  const std::string& where = access.secrets.at("token");
  const net::Secret token = MAKEGOOD_TRY(secrets.read(where, access.places));
  const auto until = clock.now().time_since_epoch() + token_lifetime;
  const std::string principal = access.username.empty() ? "makegood" : access.username;
  std::array<char, text_max> why = {};
  const auto given = rd_kafka_oauthbearer_set_token(
      client, token.reveal().c_str(), std::chrono::duration_cast<std::chrono::milliseconds>(until).count(),
      principal.c_str(), nullptr, 0, why.data(), why.size());
  if (given == RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  return Error{Errc::config_invalid, fmt::format("The token {} cannot be used.", where)};
}

}  // namespace makegood::kafka
