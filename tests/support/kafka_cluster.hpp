// The Kafka that MAKEGOOD_KAFKA names (tests/support/kafka_server.py), as somebody else's client sees it.
#pragma once

#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace makegood::testing_support {

inline constexpr std::string_view no_kafka =
    "MAKEGOOD_KAFKA names no Kafka; ./test starts one, if Java and Maven are there";

struct KafkaRecord {
  std::string key;
  std::optional<std::string> value;
  std::map<std::string, std::string> headers;
  std::int32_t partition = 0;
  std::int64_t timestamp_ms = 0;
};

class KafkaCluster {
 public:
  /// Nothing: there is none, and the test is skipped.
  static std::optional<KafkaCluster> of_environment();
  /// As kafka_server.py prints them.
  static KafkaCluster of_words(const std::string& words);

  const std::string& for_all() const { return for_all_; }  ///< `127.0.0.1:9092`
  const std::string& with_sasl() const { return with_sasl_; }
  /// Clients that begin here go on at the port of the proxy.
  std::uint16_t proxied_port() const { return proxied_port_; }
  std::uint16_t proxy_port() const { return proxy_port_; }

  /// A name that nobody has used.
  std::string new_name() const;
  void create_topic(const std::string& name, int partitions = 1,
                    const std::map<std::string, std::string>& settings = {}, int copies = 1) const;
  /// The node that leads its first partition.
  int leader_of(const std::string& topic) const;
  bool has_topic(const std::string& name) const;
  /// All records of the topic, in the order of their partitions; waits until there are so many, and a moment longer.
  std::vector<KafkaRecord> read(const std::string& topic, std::size_t count) const;

 private:
  std::string for_all_;
  std::string with_sasl_;
  std::uint16_t proxied_port_ = 0;
  std::uint16_t proxy_port_ = 0;
};

}  // namespace makegood::testing_support
