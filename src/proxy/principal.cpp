#include "proxy/principal.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include "base/digest.hpp"
#include "proxy/jwt.hpp"

namespace makegood::proxy {
namespace {

constexpr std::size_t digits = 32;  // Of 64: enough to tell any two apart.

struct Network {
  int family = 0;
  std::array<unsigned char, 16> bytes = {};
  int bits = 0;
};

std::optional<Network> parse_network(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::string number(text.substr(0, slash));
  Network network;
  for (const int family : {AF_INET, AF_INET6}) {
    if (inet_pton(family, number.c_str(), network.bytes.data()) == 1) network.family = family;
    if (network.family != 0) break;
  }
  if (network.family == 0) return {};
  const int bits_max = network.family == AF_INET ? 32 : 128;
  network.bits = bits_max;
  if (slash == text.npos) return network;
  const std::string_view bits = text.substr(slash + 1);
  const auto [end, error] = std::from_chars(bits.data(), bits.data() + bits.size(), network.bits);
  const bool is_number = error == std::errc() && end == bits.data() + bits.size();
  if (!is_number || network.bits < 0 || network.bits > bits_max) return {};
  return network;
}

bool is_in(const Network& address, const Network& network) {
  if (address.family != network.family) return false;
  for (int bit = 0; bit < network.bits; ++bit) {
    const auto byte = static_cast<std::size_t>(bit / 8);
    const unsigned mask = 0x80U >> static_cast<unsigned>(bit % 8);
    if ((address.bytes.at(byte) & mask) != (network.bytes.at(byte) & mask)) return false;
  }
  return true;
}

std::string hex_of(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

std::string short_name(std::string_view kind, std::string_view digest) {
  return fmt::format("{}:{}", kind, digest.substr(0, digits));
}

Error not_said(std::string sentence) { return {Errc::invalid, std::move(sentence)}; }

/// Every value with its length and its name, so that no two sets of headers give the same text.
Result<std::string> by_headers(const CredentialHeaders& rule, const Headers& headers) {
  std::string text;
  bool has_any = false;
  for (const std::string& name : rule.headers) {
    text += fmt::format("{}:", name.size());
    for (const auto& [given, value] : headers) {
      if (!is_same_name(given, name)) continue;
      has_any = has_any || !value.empty();
      text += fmt::format("{}:{}", value.size(), value);
    }
    text += ';';
  }
  if (has_any) return short_name("hmac", hex_of(hmac_sha256(rule.secret, text)));
  return not_said(
      fmt::format("A request with an Idempotency-Key needs credentials here: {}.", fmt::join(rule.headers, " or ")));
}

Result<std::string> by_token(const JwtSubject& rule, const Headers& headers, TimePoint now) {
  const std::string* header = only_header(headers, rule.header);
  if (header == nullptr) return not_said(fmt::format("A request has one token here, in {}.", rule.header));
  std::string_view token = *header;
  constexpr std::string_view scheme = "bearer ";
  if (is_same_name(token.substr(0, scheme.size()), scheme)) token.remove_prefix(scheme.size());
  return short_name("sub", long_digest(MAKEGOOD_TRY(subject_of(token, rule, now))));
}

Result<std::string> by_gateway(const GatewayHeader& rule, const Headers& headers, std::string_view peer) {
  if (!is_among(peer, rule.from)) return not_said("Requests with an Idempotency-Key come through the gateway here.");
  const std::string* header = only_header(headers, rule.header);
  if (header != nullptr && !header->empty()) return short_name("gw", long_digest(*header));
  return not_said(fmt::format("The gateway has not said who asks, in one header {}.", rule.header));
}

}  // namespace

bool is_same_name(std::string_view left, std::string_view right) {
  const auto lower = [](char letter) { return std::tolower(static_cast<unsigned char>(letter)); };
  return std::ranges::equal(left, right, {}, lower, lower);
}

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::any_of(names, [&](std::string_view one) { return is_same_name(name, one); });
}

const std::string* only_header(const Headers& headers, std::string_view name) {
  const std::string* found = nullptr;
  for (const auto& [given, value] : headers) {
    if (!is_same_name(given, name)) continue;
    if (found != nullptr) return nullptr;
    found = &value;
  }
  return found;
}

bool is_among(std::string_view address, const std::vector<std::string>& networks) {
  const auto parsed = parse_network(address);
  if (!parsed) return false;
  return std::ranges::any_of(networks, [&](const std::string& text) {
    const auto network = parse_network(text);
    return network && is_in(*parsed, *network);
  });
}

Result<> check_network(std::string_view text) {
  if (parse_network(text)) return {};
  return Error{Errc::config_invalid, fmt::format("'{}' is neither an address nor a network; write 10.0.0.0/8.", text)};
}

Result<std::string> principal_of(const PrincipalRule& rule, const Headers& headers, std::string_view peer,
                                 TimePoint now) {
  if (const auto* credentials = std::get_if<CredentialHeaders>(&rule)) return by_headers(*credentials, headers);
  if (const auto* token = std::get_if<JwtSubject>(&rule)) return by_token(*token, headers, now);
  if (const auto* gateway = std::get_if<GatewayHeader>(&rule)) return by_gateway(*gateway, headers, peer);
  return std::string("none");
}

}  // namespace makegood::proxy
