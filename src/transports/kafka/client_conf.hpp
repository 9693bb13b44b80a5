// What every client of librdkafka is configured with: how the cluster is reached, and as whom.
#pragma once

#include <librdkafka/rdkafka.h>

#include <memory>
#include <string>

#include "makegood/brokers.hpp"
#include "makegood/clock.hpp"
#include "makegood/result.hpp"
#include "transports/broker/target.hpp"
#include "transports/net/secrets.hpp"

namespace makegood::kafka {

class ClientConf {
 public:
  void set(const char* name, const std::string& value);
  void set_if_any(const char* name, const std::string& value);
  /// Servers, TLS, and who we are.
  Result<> set_access(const broker::Access& access, KafkaSettings::Sasl sasl, net::Secrets& secrets);
  rd_kafka_conf_t* handle() { return conf_.get(); }
  /// The first setting that was refused, if any was.
  Result<rd_kafka_t*> open(rd_kafka_type_t type);

 private:
  struct Destroy {
    void operator()(rd_kafka_conf_t* conf) const noexcept { rd_kafka_conf_destroy(conf); }
  };

  std::unique_ptr<rd_kafka_conf_t, Destroy> conf_{rd_kafka_conf_new()};
  bool is_good_ = true;
  std::string wrong_ = {};
};

/// Of OAUTHBEARER: reads the token and hands it to the client.
Result<> give_token(rd_kafka_t* client, const broker::Access& access, net::Secrets& secrets, const Clock& clock);

}  // namespace makegood::kafka
