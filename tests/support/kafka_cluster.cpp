#include "tests/support/kafka_cluster.hpp"

#include <array>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "makegood/id.hpp"

namespace makegood::testing_support {
namespace {

using Client = std::unique_ptr<rd_kafka_t, decltype(&rd_kafka_destroy)>;
constexpr int patience_ms = 20'000;

Client client_of(rd_kafka_type_t type, const std::string& servers) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  std::array<char, 512> why = {};
  const auto set = [&](const char* name, const std::string& value) {
    rd_kafka_conf_set(conf, name, value.c_str(), why.data(), why.size());
  };
  set("bootstrap.servers", servers);
  if (type == RD_KAFKA_CONSUMER) {
    set("group.id", "reader");
    set("enable.auto.commit", "false");
    set("auto.offset.reset", "earliest");
  }
  rd_kafka_t* client = rd_kafka_new(type, conf, why.data(), why.size());
  if (client == nullptr) throw std::runtime_error(why.data());
  return {client, &rd_kafka_destroy};
}

KafkaRecord record_of(const rd_kafka_message_t& message) {
  KafkaRecord record{.key = {static_cast<const char*>(message.key), message.key_len},
                     .value = std::nullopt,
                     .headers = {},
                     .partition = message.partition,
                     .timestamp_ms = rd_kafka_message_timestamp(&message, nullptr)};
  if (message.payload != nullptr) record.value.emplace(static_cast<const char*>(message.payload), message.len);
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return record;
  const char* name = nullptr;
  const void* value = nullptr;
  std::size_t size = 0;
  for (std::size_t i = 0; rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR;
       ++i) {
    record.headers[name] = std::string(static_cast<const char*>(value), size);
  }
  return record;
}

/// What the servers tell of a topic; all zero: there is none.
struct TopicFacts {
  int partitions = 0;
  int leader = 0;
};

TopicFacts facts_of(rd_kafka_t* client, const std::string& topic) {
  const std::unique_ptr<rd_kafka_topic_t, decltype(&rd_kafka_topic_destroy)> handle(
      rd_kafka_topic_new(client, topic.c_str(), nullptr), &rd_kafka_topic_destroy);
  const rd_kafka_metadata_t* answer = nullptr;
  if (rd_kafka_metadata(client, 0, handle.get(), &answer, patience_ms) != RD_KAFKA_RESP_ERR_NO_ERROR) return {};
  TopicFacts facts;
  const rd_kafka_metadata_topic_t& found = answer->topics[0];
  if (found.err == RD_KAFKA_RESP_ERR_NO_ERROR && found.partition_cnt > 0) {
    facts = {.partitions = found.partition_cnt, .leader = found.partitions[0].leader};
  }
  rd_kafka_metadata_destroy(answer);
  return facts;
}

std::uint16_t port_of(const std::string& address) {
  return static_cast<std::uint16_t>(std::stoi(address.substr(address.find(':') + 1)));
}

}  // namespace

std::optional<KafkaCluster> KafkaCluster::of_environment() {
  const char* words = std::getenv("MAKEGOOD_KAFKA");
  if (words == nullptr || *words == '\0') return std::nullopt;
  return of_words(words);
}

KafkaCluster KafkaCluster::of_words(const std::string& words) {
  KafkaCluster cluster;
  std::string proxied;
  std::istringstream(words) >> cluster.for_all_ >> cluster.with_sasl_ >> proxied >> cluster.proxy_port_;
  cluster.proxied_port_ = port_of(proxied);
  return cluster;
}

std::string KafkaCluster::new_name() const { return "t" + new_uuid7(); }

void KafkaCluster::create_topic(const std::string& name, int partitions,
                                const std::map<std::string, std::string>& settings, int copies) const {
  const Client client = client_of(RD_KAFKA_PRODUCER, for_all_);
  std::array<char, 512> why = {};
  rd_kafka_NewTopic_t* topic = rd_kafka_NewTopic_new(name.c_str(), partitions, copies, why.data(), why.size());
  for (const auto& [key, value] : settings) rd_kafka_NewTopic_set_config(topic, key.c_str(), value.c_str());
  const std::unique_ptr<rd_kafka_queue_t, decltype(&rd_kafka_queue_destroy)> queue(rd_kafka_queue_new(client.get()),
                                                                                   &rd_kafka_queue_destroy);
  rd_kafka_CreateTopics(client.get(), &topic, 1, nullptr, queue.get());
  rd_kafka_event_t* event = rd_kafka_queue_poll(queue.get(), patience_ms);
  rd_kafka_NewTopic_destroy(topic);
  if (event == nullptr || rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    throw std::runtime_error("no topic could be made");
  }
  rd_kafka_event_destroy(event);
}

bool KafkaCluster::has_topic(const std::string& name) const {
  const Client client = client_of(RD_KAFKA_CONSUMER, for_all_);  // A consumer does not make one by asking for it.
  return facts_of(client.get(), name).partitions > 0;
}

int KafkaCluster::leader_of(const std::string& topic) const {
  return facts_of(client_of(RD_KAFKA_CONSUMER, for_all_).get(), topic).leader;
}

std::vector<KafkaRecord> KafkaCluster::read(const std::string& topic, std::size_t count) const {
  const Client client = client_of(RD_KAFKA_CONSUMER, for_all_);
  rd_kafka_topic_partition_list_t* all = rd_kafka_topic_partition_list_new(1);
  for (int i = 0, end = facts_of(client.get(), topic).partitions; i < end; ++i) {
    rd_kafka_topic_partition_list_add(all, topic.c_str(), i)->offset = RD_KAFKA_OFFSET_BEGINNING;
  }
  rd_kafka_assign(client.get(), all);
  rd_kafka_topic_partition_list_destroy(all);
  std::vector<KafkaRecord> records;
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
  while (std::chrono::steady_clock::now() < until) {
    rd_kafka_message_t* message = rd_kafka_consumer_poll(client.get(), records.size() < count ? 1000 : 300);
    if (message == nullptr && records.size() >= count) break;
    if (message == nullptr) continue;
    if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) records.push_back(record_of(*message));
    rd_kafka_message_destroy(message);
  }
  rd_kafka_consumer_close(client.get());
  return records;
}

}  // namespace makegood::testing_support
