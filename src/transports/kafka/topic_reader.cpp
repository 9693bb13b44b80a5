#include "transports/kafka/topic_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "transports/kafka/client_conf.hpp"

namespace makegood::kafka {
namespace {

/// A partition that was added is noticed so soon.
constexpr Duration look_interval = std::chrono::seconds(5);
/// The client needs a name of a group, also where nothing is committed.
constexpr const char* no_group = "makegood";
constexpr const char* queued_kbytes_max = "16384";
constexpr int ask_ms = 2000;

struct DestroyMessage {
  void operator()(rd_kafka_message_t* message) const noexcept { rd_kafka_message_destroy(message); }
};
struct DestroyList {
  void operator()(rd_kafka_topic_partition_list_t* list) const noexcept { rd_kafka_topic_partition_list_destroy(list); }
};
struct DestroyTopic {
  void operator()(rd_kafka_topic_t* topic) const noexcept { rd_kafka_topic_destroy(topic); }
};
using TopicHandle = std::unique_ptr<rd_kafka_topic_t, DestroyTopic>;
using MessageHandle = std::unique_ptr<rd_kafka_message_t, DestroyMessage>;
using List = std::unique_ptr<rd_kafka_topic_partition_list_t, DestroyList>;

List new_list(std::size_t size) { return List(rd_kafka_topic_partition_list_new(static_cast<int>(size))); }

std::string name_of(std::string_view topic, std::int32_t partition) { return fmt::format("{}/{}", topic, partition); }

std::int64_t number_in(std::string_view text) {
  std::int64_t number = -1;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// `orders/3`, as a topic and its number.
std::pair<std::string, std::int32_t> parts_of(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  return {std::string(name.substr(0, slash)), static_cast<std::int32_t>(number_in(name.substr(slash + 1)))};
}

rd_kafka_topic_partition_t& add(rd_kafka_topic_partition_list_t& list, const std::string& name) {
  const auto [topic, number] = parts_of(name);
  return *rd_kafka_topic_partition_list_add(&list, topic.c_str(), number);
}

std::string text_of(const void* bytes, std::size_t size) {
  return size == 0 ? std::string() : std::string(static_cast<const char*>(bytes), size);
}

void add_headers(const rd_kafka_message_t& message, Arrival& arrival) {
  rd_kafka_headers_t* headers = nullptr;
  if (rd_kafka_message_headers(&message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return;
  const char* name = nullptr;
  const void* value = nullptr;
  std::size_t size = 0;
  for (std::size_t index = 0;
       rd_kafka_header_get_all(headers, index, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR; ++index) {
    arrival.headers.emplace_back(name, text_of(value, size));
  }
}

Arrival arrival_of(const rd_kafka_message_t& message) {
  const std::string topic = rd_kafka_topic_name(message.rkt);
  Arrival arrival{.partition = name_of(topic, message.partition),
                  .at = std::to_string(message.offset),
                  .next = std::to_string(message.offset + 1),
                  .topic = topic,
                  .key = text_of(message.key, message.key_len)};
  if (message.payload != nullptr) arrival.value = text_of(message.payload, message.len);
  add_headers(message, arrival);
  return arrival;
}

}  // namespace

TopicReader::TopicReader(KafkaSourceSettings settings, broker::Access access, const BrokerOptions& options,
                         const Clock& clock)
    : settings_(std::move(settings)),
      access_(std::move(access)),
      clock_(clock),
      secrets_(clock, options.network.warn) {}

Result<std::unique_ptr<TopicReader>> TopicReader::open(KafkaSourceSettings settings, broker::Access access,
                                                       const BrokerOptions& options, const Clock& clock) {
  std::unique_ptr<TopicReader> reader(new TopicReader(std::move(settings), std::move(access), options, clock));
  MAKEGOOD_TRY(reader->connect());
  return reader;
}

TopicReader::~TopicReader() {
  if (client_ != nullptr) rd_kafka_consumer_close(client_.get());
}

Result<> TopicReader::connect() {
  ClientConf conf;
  conf.set("group.id", settings_.group.empty() ? no_group : settings_.group);
  conf.set("enable.auto.commit", "false");
  conf.set("enable.auto.offset.store", "false");
  conf.set("auto.offset.reset", "error");
  conf.set("isolation.level", "read_committed");
  conf.set("allow.auto.create.topics", "false");
  conf.set("reconnect.backoff.max.ms", "1000");
  conf.set("queued.max.messages.kbytes", queued_kbytes_max);
  MAKEGOOD_TRY(conf.set_access(access_, settings_.sasl, secrets_));
  rd_kafka_conf_set_opaque(conf.handle(), this);
  rd_kafka_conf_set_error_cb(conf.handle(), on_error);
  rd_kafka_conf_set_oauthbearer_token_refresh_cb(conf.handle(), on_token);
  client_.reset(MAKEGOOD_TRY(conf.open(RD_KAFKA_CONSUMER)));
  rd_kafka_poll_set_consumer(client_.get());
  return {};
}

// Called by the client, within poll.

void TopicReader::on_error(rd_kafka_t* /*client*/, int error, const char* reason, void* self) {
  auto& reader = *static_cast<TopicReader*>(self);
  const bool are_all_down = error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN;
  if (!are_all_down) reader.last_reason_ = reason;
  if (error == RD_KAFKA_RESP_ERR__FATAL) {
    reader.trouble_ = Error{Errc::internal, fmt::format("The client of Kafka has given up: {}.", reason)};
  } else if (are_all_down || error == RD_KAFKA_RESP_ERR__AUTHENTICATION) {
    reader.trouble_ = Error{Errc::unavailable, "No server of Kafka can be used.", reader.last_reason_};
  }
}

void TopicReader::on_token(rd_kafka_t* client, const char* /*config*/, void* self) {
  auto& reader = *static_cast<TopicReader*>(self);
  const auto given = kafka::give_token(client, reader.access_, reader.secrets_, reader.clock_);
  if (given) return;
  rd_kafka_oauthbearer_set_token_failure(client, "it cannot be read");
  reader.trouble_ = given.error();
}

// From here on, what the caller asks for.

Result<Polled> TopicReader::poll(const PollLimits& limits, Duration wait) {
  Polled polled;
  if (MAKEGOOD_TRY(look_for_partitions())) {
    polled.partitions = partitions_;
    return polled;
  }
  std::size_t bytes = 0;
  int wait_ms = static_cast<int>(wait / std::chrono::milliseconds(1));
  while (polled.arrivals.size() < limits.rows_max && bytes < limits.bytes_max) {
    const MessageHandle message(rd_kafka_consumer_poll(client_.get(), std::exchange(wait_ms, 0)));
    if (message == nullptr) break;
    bytes += message->len + message->key_len;
    take(*message, polled);
  }
  if (polled.arrivals.empty() && polled.gone.empty() && trouble_) return *std::exchange(trouble_, std::nullopt);
  return polled;
}

/// True: they are others than before.
Result<bool> TopicReader::look_for_partitions() {
  const MonotonicTime now = clock_.monotonic();
  if (!partitions_.empty() && now < look_at_) return false;
  std::vector<std::string> partitions;
  for (const std::string& topic : settings_.topics) {
    if (const auto added = add_partitions(topic, partitions); !added) {
      // That there is no such topic is an answer: what was known of it is gone. Otherwise what is known is read on, and
      // an answer may be had later.
      if (added.error().code == Errc::not_found) partitions_.clear();
      if (partitions_.empty()) return Error{Errc::unavailable, added.error().message};
      partitions = partitions_;
      break;
    }
  }
  look_at_ = now + look_interval;
  return std::exchange(partitions_, partitions) != partitions;
}

Result<> TopicReader::add_partitions(const std::string& topic, std::vector<std::string>& partitions) {
  const TopicHandle handle(rd_kafka_topic_new(client_.get(), topic.c_str(), nullptr));
  const rd_kafka_metadata_t* answer = nullptr;
  rd_kafka_resp_err_t error = rd_kafka_metadata(client_.get(), 0, handle.get(), &answer, ask_ms);
  const std::unique_ptr<const rd_kafka_metadata_t, decltype(&rd_kafka_metadata_destroy)> owned(
      answer, &rd_kafka_metadata_destroy);
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR)
    error = answer->topic_cnt == 1 ? answer->topics[0].err : RD_KAFKA_RESP_ERR__FAIL;
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    const bool is_missing = error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
    return Error{is_missing ? Errc::not_found : Errc::unavailable,
                 fmt::format("Kafka does not let the topic {} be read: {}.", topic, rd_kafka_err2str(error))};
  }
  for (int number = 0; number < answer->topics[0].partition_cnt; ++number) partitions.push_back(name_of(topic, number));
  return {};
}

void TopicReader::take(const rd_kafka_message_t& message, Polled& polled) {
  if (message.err != RD_KAFKA_RESP_ERR_NO_ERROR) return note(message, polled);
  polled.arrivals.push_back(arrival_of(message));
  next_[polled.arrivals.back().partition] = message.offset + 1;
}

void TopicReader::note(const rd_kafka_message_t& failed, Polled& polled) {
  const std::string topic = failed.rkt != nullptr ? rd_kafka_topic_name(failed.rkt) : std::string();
  switch (static_cast<int>(failed.err)) {
    case RD_KAFKA_RESP_ERR__PARTITION_EOF:
      return;
    case RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET:
    case RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE:
      polled.gone.push_back(name_of(topic, failed.partition));
      return;
    default:
      trouble_ =
          Error{Errc::unavailable, fmt::format("Kafka does not let {} be read: {}.",
                                               topic.empty() ? "the group" : topic, rd_kafka_err2str(failed.err))};
  }
}

Result<std::string> TopicReader::first(const std::string& partition) {
  const auto [topic, number] = parts_of(partition);
  std::int64_t low = 0;
  std::int64_t high = 0;
  const auto error = rd_kafka_query_watermark_offsets(client_.get(), topic.c_str(), number, &low, &high, ask_ms);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return Error{Errc::unavailable,
                 fmt::format("Kafka does not say where {} begins: {}.", partition, rd_kafka_err2str(error))};
  }
  return std::to_string(settings_.begin == SourceBegin::earliest ? low : high);
}

Result<> TopicReader::start(const std::vector<SourcePlace>& places) {
  const List list = new_list(places.size());
  next_.clear();
  for (const SourcePlace& place : places) {
    const std::int64_t offset = number_in(place.next);
    if (offset < 0) {
      return Error{Errc::invalid, fmt::format("A place in {} is an offset, not {}.", place.partition, place.next)};
    }
    add(*list, place.partition).offset = offset;
    next_[place.partition] = offset;
  }
  const rd_kafka_resp_err_t error = rd_kafka_assign(client_.get(), list.get());
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return Error{Errc::unavailable, fmt::format("Kafka: {}.", rd_kafka_err2str(error))};
  }
  if (is_held_) pause_or_resume();
  return {};
}

void TopicReader::acknowledge(const std::vector<SourcePlace>& places) {
  if (settings_.group.empty()) return;
  const List list = new_list(places.size());
  for (const SourcePlace& place : places) add(*list, place.partition).offset = number_in(place.next);
  constexpr int is_async = 1;
  rd_kafka_commit(client_.get(), list.get(), is_async);  // For others to see; what comes of it changes nothing.
}

void TopicReader::hold(bool is_held) {
  if (std::exchange(is_held_, is_held) != is_held) pause_or_resume();
}

void TopicReader::pause_or_resume() {
  const List list = new_list(partitions_.size());
  for (const std::string& partition : partitions_) add(*list, partition);
  if (is_held_) {
    rd_kafka_pause_partitions(client_.get(), list.get());
  } else {
    rd_kafka_resume_partitions(client_.get(), list.get());
  }
}

std::map<std::string, std::int64_t> TopicReader::behind() {
  std::map<std::string, std::int64_t> behind;
  for (const auto& [partition, next] : next_) {
    const auto [topic, number] = parts_of(partition);
    std::int64_t low = 0;
    std::int64_t high = 0;
    if (rd_kafka_get_watermark_offsets(client_.get(), topic.c_str(), number, &low, &high) !=
        RD_KAFKA_RESP_ERR_NO_ERROR) {
      continue;
    }
    behind[partition] = std::max<std::int64_t>(high - next, 0);
  }
  return behind;
}

}  // namespace makegood::kafka
