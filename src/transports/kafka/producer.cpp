#include "transports/kafka/producer.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "transports/kafka/client_conf.hpp"

namespace makegood::kafka {
namespace {

constexpr int look_up_ms = 100;
constexpr std::uint64_t wake_up = 1;
/// What librdkafka may hold besides what is in flight, and in bytes.
constexpr std::size_t queue_spare = 1000;
constexpr std::size_t queue_kbytes_max = 131'072;

void set_delivery(ClientConf& conf, const KafkaSettings& settings, const ProducerLimits& limits) {
  constexpr auto codecs = std::to_array<const char*>({"none", "gzip", "snappy", "lz4", "zstd"});
  conf.set("acks", "all");
  conf.set("enable.idempotence", "true");
  conf.set("enable.gapless.guarantee", "true");
  conf.set("message.timeout.ms", "0");
  conf.set("partitioner", "murmur2_random");
  conf.set("allow.auto.create.topics", "false");
  conf.set("reconnect.backoff.max.ms", "1000");
  conf.set("message.max.bytes", std::to_string(settings.message_bytes_max));
  conf.set("compression.codec", codecs.at(static_cast<std::size_t>(settings.compression)));
  conf.set("linger.ms", std::to_string(limits.is_one_by_one ? 0 : settings.linger / std::chrono::milliseconds(1)));
  conf.set("batch.size", std::to_string(limits.batch_bytes));
  if (limits.is_one_by_one) conf.set("batch.num.messages", "1");
  conf.set("queue.buffering.max.messages", std::to_string(limits.in_flight_max + queue_spare));
  conf.set("queue.buffering.max.kbytes", std::to_string(queue_kbytes_max));
}

bool is_barred(rd_kafka_resp_err_t error) {
  return error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART || error == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED ||
         error == RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION;
}

}  // namespace

Result<std::unique_ptr<Producer>> Producer::open(const Target& target, const ProducerLimits& limits,
                                                 net::Secrets& secrets, const Clock& clock, int wake) {
  ClientConf conf;
  set_delivery(conf, target.settings, limits);
  MAKEGOOD_TRY(conf.set_access(target.access, target.settings.sasl, secrets));
  rd_kafka_conf_set_events(conf.handle(),
                           RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR | RD_KAFKA_EVENT_OAUTHBEARER_TOKEN_REFRESH);
  std::unique_ptr<Producer> producer(
      new Producer(target, secrets, clock, MAKEGOOD_TRY(conf.open(RD_KAFKA_PRODUCER)), wake, limits.is_one_by_one));
  if (target.settings.sasl == KafkaSettings::Sasl::oauthbearer) MAKEGOOD_TRY(producer->give_token());
  return producer;
}

Producer::Producer(const Target& target, net::Secrets& secrets, const Clock& clock, rd_kafka_t* client, int wake,
                   bool is_one_by_one)
    : target_(target),
      secrets_(secrets),
      clock_(clock),
      is_one_by_one_(is_one_by_one),
      client_(client),
      queue_(rd_kafka_queue_get_main(client)) {
  rd_kafka_queue_io_event_enable(queue_.get(), wake, &wake_up, sizeof wake_up);
}

Result<> Producer::give_token() { return kafka::give_token(client_.get(), target_.access, secrets_, clock_); }

Producer::Topic Producer::look_up(const std::string& topic, rd_kafka_resp_err_t& why) {
  if (topics_.contains(topic)) return Topic::there;
  TopicHandle handle(rd_kafka_topic_new(client_.get(), topic.c_str(), nullptr));
  if (handle == nullptr) return Topic::unanswered;
  const rd_kafka_metadata_t* answer = nullptr;
  if (rd_kafka_metadata(client_.get(), 0, handle.get(), &answer, look_up_ms) != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return Topic::unanswered;
  }
  const std::unique_ptr<const rd_kafka_metadata_t, decltype(&rd_kafka_metadata_destroy)> owned(
      answer, &rd_kafka_metadata_destroy);
  if (answer->topic_cnt != 1) return Topic::unanswered;
  const rd_kafka_metadata_topic_t& found = answer->topics[0];
  if (is_barred(found.err)) {
    why = found.err;
    return Topic::barred;
  }
  if (found.err != RD_KAFKA_RESP_ERR_NO_ERROR || found.partition_cnt == 0) return Topic::unanswered;
  topics_.emplace(topic, std::move(handle));
  return Topic::there;
}

rd_kafka_resp_err_t Producer::send(const Record& record, Token token) {
  std::unique_ptr<rd_kafka_headers_t, DestroyHeaders> headers(rd_kafka_headers_new(record.headers.size()));
  for (const auto& [name, value] : record.headers) {
    rd_kafka_header_add(headers.get(), name.data(), static_cast<ssize_t>(name.size()), value.data(),
                        static_cast<ssize_t>(value.size()));
  }
  std::array<rd_kafka_vu_t, 6> parts = {};
  parts[0].vtype = RD_KAFKA_VTYPE_RKT;
  parts[0].u.rkt = topics_.at(record.topic).get();
  parts[1].vtype = RD_KAFKA_VTYPE_KEY;
  parts[1].u.mem = {const_cast<char*>(record.key.data()), record.key.size()};
  parts[2].vtype = RD_KAFKA_VTYPE_VALUE;
  if (record.value) parts[2].u.mem = {const_cast<char*>(record.value->data()), record.value->size()};
  parts[3].vtype = RD_KAFKA_VTYPE_HEADERS;
  parts[3].u.headers = headers.get();
  parts[4].vtype = RD_KAFKA_VTYPE_OPAQUE;
  parts[4].u.ptr = reinterpret_cast<void*>(token);
  parts[5].vtype = RD_KAFKA_VTYPE_TIMESTAMP;
  parts[5].u.i64 = record.timestamp_ms;
  rd_kafka_error_t* failed = rd_kafka_produceva(client_.get(), parts.data(), parts.size());
  if (failed == nullptr) {
    static_cast<void>(headers.release());  // The client has them now.
    return RD_KAFKA_RESP_ERR_NO_ERROR;
  }
  const rd_kafka_resp_err_t error = rd_kafka_error_code(failed);
  rd_kafka_error_destroy(failed);
  return error;
}

std::vector<Confirmation> Producer::hear(std::optional<Trouble>& trouble) {
  std::vector<Confirmation> confirmed;
  while (true) {
    const std::unique_ptr<rd_kafka_event_t, DestroyEvent> event(rd_kafka_queue_poll(queue_.get(), 0));
    if (event == nullptr) return confirmed;
    note(*event, confirmed, trouble);
  }
}

void Producer::note(rd_kafka_event_t& event, std::vector<Confirmation>& confirmed, std::optional<Trouble>& trouble) {
  switch (rd_kafka_event_type(&event)) {
    case RD_KAFKA_EVENT_DR:
      while (const rd_kafka_message_t* message = rd_kafka_event_message_next(&event)) {
        confirmed.push_back({.token = reinterpret_cast<Token>(message->_private),
                             .error = message->err,
                             .may_be_there = rd_kafka_message_status(message) != RD_KAFKA_MSG_STATUS_NOT_PERSISTED});
      }
      return;
    case RD_KAFKA_EVENT_ERROR:
      return note_error(event, trouble);
    case RD_KAFKA_EVENT_OAUTHBEARER_TOKEN_REFRESH:
      if (const auto given = give_token(); !given) {
        rd_kafka_oauthbearer_set_token_failure(client_.get(), "it cannot be read");
        trouble = Trouble{given.error().message, false};
      }
      return;
    default:
      return;
  }
}

/// One server of several may be away. That all are, comes without a reason: it is the last one that was told of one.
void Producer::note_error(rd_kafka_event_t& event, std::optional<Trouble>& trouble) {
  const rd_kafka_resp_err_t error = rd_kafka_event_error(&event);
  const bool is_fatal = rd_kafka_event_error_is_fatal(&event) != 0;
  const bool are_all_down = error == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN;
  if (!are_all_down) last_reason_ = rd_kafka_event_error_string(&event);
  if (!is_fatal && !are_all_down && error != RD_KAFKA_RESP_ERR__AUTHENTICATION) return;
  if (!trouble || is_fatal) trouble = Trouble{last_reason_.empty() ? "no server is there" : last_reason_, is_fatal};
}

void Producer::purge() { rd_kafka_purge(client_.get(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT); }

}  // namespace makegood::kafka
