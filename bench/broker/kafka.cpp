// Kafka, by librdkafka: acks=all and idempotent, with the settings that a destination has unless it says otherwise.
#include <librdkafka/rdkafka.h>

#include <array>
#include <cstdint>

#include "bench/broker/broker.hpp"
#include "makegood/brokers.hpp"
#include "makegood/id.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::bench {
namespace {

constexpr int partitions = 3;
constexpr int patience_ms = 30'000;

struct DestroyClient {
  void operator()(rd_kafka_t* client) const noexcept { rd_kafka_destroy(client); }
};
struct DestroyTopic {
  void operator()(rd_kafka_topic_t* topic) const noexcept { rd_kafka_topic_destroy(topic); }
};
struct DestroyQueue {
  void operator()(rd_kafka_queue_t* queue) const noexcept { rd_kafka_queue_destroy(queue); }
};
using Client = std::unique_ptr<rd_kafka_t, DestroyClient>;
using Topic = std::unique_ptr<rd_kafka_topic_t, DestroyTopic>;
using Queue = std::unique_ptr<rd_kafka_queue_t, DestroyQueue>;

Client open_client(rd_kafka_type_t type, Headers settings, const std::string& url) {
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  std::array<char, 512> why = {};
  settings.emplace_back("bootstrap.servers", address_in(url));
  for (const auto& [name, value] : settings) {
    MAKEGOOD_ASSERT(rd_kafka_conf_set(conf, name.c_str(), value.c_str(), why.data(), why.size()) == RD_KAFKA_CONF_OK);
  }
  if (type == RD_KAFKA_PRODUCER) rd_kafka_conf_set_events(conf, RD_KAFKA_EVENT_DR);
  Client client(rd_kafka_new(type, conf, why.data(), why.size()));
  MAKEGOOD_ASSERT(client != nullptr);
  return client;
}

std::int64_t end_of(rd_kafka_t& client, const std::string& topic, int partition) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  MAKEGOOD_ASSERT(rd_kafka_query_watermark_offsets(&client, topic.c_str(), partition, &low, &high, patience_ms) ==
                  RD_KAFKA_RESP_ERR_NO_ERROR);
  return high;
}

class KafkaReader final : public Reader {
 public:
  KafkaReader(const std::string& url, const std::string& topic)
      : client_(open_client(RD_KAFKA_CONSUMER, {{"group.id", "bench"}, {"enable.auto.commit", "false"}}, url)) {
    rd_kafka_topic_partition_list_t* all = rd_kafka_topic_partition_list_new(partitions);
    for (int i = 0; i < partitions; ++i) {
      rd_kafka_topic_partition_list_add(all, topic.c_str(), i)->offset = end_of(*client_, topic, i);
    }
    rd_kafka_assign(client_.get(), all);
    rd_kafka_topic_partition_list_destroy(all);
  }
  ~KafkaReader() override { rd_kafka_consumer_close(client_.get()); }
  std::optional<std::string> next() override {
    const std::unique_ptr<rd_kafka_message_t, decltype(&rd_kafka_message_destroy)> message(
        rd_kafka_consumer_poll(client_.get(), 100), &rd_kafka_message_destroy);
    if (message == nullptr || message->err != RD_KAFKA_RESP_ERR_NO_ERROR) return std::nullopt;
    rd_kafka_headers_t* headers = nullptr;
    const void* value = nullptr;
    std::size_t size = 0;
    if (rd_kafka_message_headers(message.get(), &headers) != RD_KAFKA_RESP_ERR_NO_ERROR ||
        rd_kafka_header_get_last(headers, "event_id", &value, &size) != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return "";
    }
    return std::string(static_cast<const char*>(value), size);
  }

 private:
  Client client_;
};

class KafkaBroker final : public Broker {
 public:
  explicit KafkaBroker(std::string url)
      : url_(std::move(url)),
        headers_(headers_like_ours("ce_")),
        client_(open_client(
            RD_KAFKA_PRODUCER,
            {{"acks", "all"}, {"enable.idempotence", "true"}, {"linger.ms", "5"}, {"partitioner", "murmur2_random"}},
            url_)),
        queue_(rd_kafka_queue_get_main(client_.get())) {
    renew();
  }

  /// Another topic: to empty one takes the server a minute.
  void renew() override {
    name_ = "bench" + new_uuid7();
    std::array<char, 512> why = {};
    rd_kafka_NewTopic_t* wanted = rd_kafka_NewTopic_new(name_.c_str(), partitions, 1, why.data(), why.size());
    const Queue answers(rd_kafka_queue_new(client_.get()));
    rd_kafka_CreateTopics(client_.get(), &wanted, 1, nullptr, answers.get());
    rd_kafka_event_t* event = rd_kafka_queue_poll(answers.get(), patience_ms);
    MAKEGOOD_ASSERT(event != nullptr && rd_kafka_event_error(event) == RD_KAFKA_RESP_ERR_NO_ERROR);
    rd_kafka_event_destroy(event);
    rd_kafka_NewTopic_destroy(wanted);
    topic_.reset(rd_kafka_topic_new(client_.get(), name_.c_str(), nullptr));
    send_bare(1, 1);
    spare_ = 1;
  }
  Destination destination(Destination others) const override {
    return kafka_destination("bench", {.access = {.servers = {url_}}, .topic = name_}, std::move(others)).value();
  }
  std::unique_ptr<Transport> transport() const override { return new_kafka_transport().value(); }
  void send_bare(std::size_t count, std::size_t in_flight) override {
    std::size_t confirmed = 0;
    for (std::size_t sent = 0; sent < count; ++sent) {
      while (sent - confirmed >= in_flight) confirmed += take_confirmations();
      produce(event_id_like_ours(sent));
    }
    while (confirmed < count) confirmed += take_confirmations();
  }
  std::size_t stored() override {
    std::size_t all = 0;
    for (int i = 0; i < partitions; ++i) all += static_cast<std::size_t>(end_of(*client_, name_, i));
    return all - spare_;
  }
  std::unique_ptr<Reader> reader() override { return std::make_unique<KafkaReader>(url_, name_); }

 private:
  void produce(const std::string& key) {
    const std::string& content = content_like_ours();
    rd_kafka_headers_t* headers = rd_kafka_headers_new(headers_.size());
    for (const auto& [name, value] : headers_) {
      rd_kafka_header_add(headers, name.data(), static_cast<ssize_t>(name.size()), value.data(),
                          static_cast<ssize_t>(value.size()));
    }
    std::array<rd_kafka_vu_t, 4> parts = {};
    parts[0].vtype = RD_KAFKA_VTYPE_RKT;
    parts[0].u.rkt = topic_.get();
    parts[1].vtype = RD_KAFKA_VTYPE_KEY;
    parts[1].u.mem = {const_cast<char*>(key.data()), key.size()};
    parts[2].vtype = RD_KAFKA_VTYPE_VALUE;
    parts[2].u.mem = {const_cast<char*>(content.data()), content.size()};
    parts[3].vtype = RD_KAFKA_VTYPE_HEADERS;
    parts[3].u.headers = headers;
    MAKEGOOD_ASSERT(rd_kafka_produceva(client_.get(), parts.data(), parts.size()) == nullptr);
  }
  std::size_t take_confirmations() {
    rd_kafka_event_t* event = rd_kafka_queue_poll(queue_.get(), 1000);
    if (event == nullptr) return 0;
    std::size_t count = 0;
    while (const rd_kafka_message_t* message = rd_kafka_event_message_next(event)) {
      MAKEGOOD_ASSERT(message->err == RD_KAFKA_RESP_ERR_NO_ERROR);
      ++count;
    }
    rd_kafka_event_destroy(event);
    return count;
  }

  const std::string url_;
  const Headers headers_;
  Client client_;
  Queue queue_;
  std::string name_;
  Topic topic_;
  std::size_t spare_ = 0;  ///< Sent to find out where the topic is, before anything is measured.
};

}  // namespace

std::unique_ptr<Broker> open_kafka(const std::string& url) { return std::make_unique<KafkaBroker>(url); }

}  // namespace makegood::bench
