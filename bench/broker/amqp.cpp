// RabbitMQ with confirms and a durable queue, by rabbitmq-c.
#include <amqp.h>
#include <amqp_tcp_socket.h>

#include <set>

#include "bench/broker/broker.hpp"
#include "makegood/brokers.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::bench {
namespace {

constexpr const char* queue = "bench";
constexpr int frame_bytes_max = 131072;
constexpr amqp_channel_t channel = 1;

amqp_bytes_t bytes_of(const std::string& text) { return {text.size(), const_cast<char*>(text.data())}; }

class Connection {
 public:
  explicit Connection(const std::string& url) : state_(amqp_new_connection()) {
    amqp_socket_t* socket = amqp_tcp_socket_new(state_);
    MAKEGOOD_ASSERT(socket != nullptr && amqp_socket_open(socket, "127.0.0.1", port_in(url)) == AMQP_STATUS_OK);
    must(amqp_login(state_, "/", 0, frame_bytes_max, 0, AMQP_SASL_METHOD_PLAIN, "guest", "guest"));
    amqp_channel_open(state_, channel);
    must_have_worked();
  }
  ~Connection() { amqp_destroy_connection(state_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  amqp_connection_state_t state() const { return state_; }
  void must_have_worked() const { must(amqp_get_rpc_reply(state_)); }

 private:
  static void must(const amqp_rpc_reply_t& reply) { MAKEGOOD_ASSERT(reply.reply_type == AMQP_RESPONSE_NORMAL); }

  amqp_connection_state_t state_;
};

std::string header_in(const amqp_table_t& table, std::string_view name) {
  for (int i = 0; i < table.num_entries; ++i) {
    const amqp_table_entry_t& entry = table.entries[i];
    const amqp_bytes_t& value = entry.value.value.bytes;
    if (std::string_view(static_cast<const char*>(entry.key.bytes), entry.key.len) == name) {
      return {static_cast<const char*>(value.bytes), value.len};
    }
  }
  return {};
}

class AmqpReader final : public Reader {
 public:
  explicit AmqpReader(const std::string& url) : connection_(url) {
    amqp_basic_consume(connection_.state(), channel, amqp_cstring_bytes(queue), amqp_empty_bytes, 0, 1, 0,
                       amqp_empty_table);
    connection_.must_have_worked();
  }
  std::optional<std::string> next() override {
    amqp_maybe_release_buffers(connection_.state());
    amqp_envelope_t envelope;
    const timeval moment{.tv_sec = 0, .tv_usec = 100'000};
    const amqp_rpc_reply_t reply = amqp_consume_message(connection_.state(), &envelope, &moment, 0);
    if (reply.reply_type != AMQP_RESPONSE_NORMAL) return std::nullopt;
    std::string event_id = header_in(envelope.message.properties.headers, "event_id");
    amqp_destroy_envelope(&envelope);
    return event_id;
  }

 private:
  Connection connection_;
};

class AmqpBroker final : public Broker {
 public:
  explicit AmqpBroker(std::string url)
      : url_(std::move(url)), connection_(url_), headers_(headers_like_ours("cloudEvents_")) {
    amqp_queue_declare(connection_.state(), channel, amqp_cstring_bytes(queue), 0, 1, 0, 0, amqp_empty_table);
    connection_.must_have_worked();
    amqp_confirm_select(connection_.state(), channel);
    connection_.must_have_worked();
    for (const auto& [name, value] : headers_) {
      amqp_table_entry_t entry = {};
      entry.key = bytes_of(name);
      entry.value.kind = AMQP_FIELD_KIND_UTF8;
      entry.value.value.bytes = bytes_of(value);
      entries_.push_back(entry);
    }
  }

  void renew() override {
    amqp_queue_purge(connection_.state(), channel, amqp_cstring_bytes(queue));
    connection_.must_have_worked();
  }
  Destination destination(Destination others) const override {
    return amqp_destination("bench", {.access = {.servers = {url_}}, .routing_key = queue}, std::move(others)).value();
  }
  std::unique_ptr<Transport> transport() const override { return new_amqp_transport().value(); }
  void send_bare(std::size_t count, std::size_t in_flight) override {
    for (std::size_t i = 0; i < count; ++i) {
      while (unconfirmed_.size() >= in_flight) read_confirm();
      publish();
    }
    while (!unconfirmed_.empty()) read_confirm();
  }
  /// Asked by a connection of its own: this one's frames are confirms.
  std::size_t stored() override {
    const Connection asking(url_);
    const auto* told =
        amqp_queue_declare(asking.state(), channel, amqp_cstring_bytes(queue), 1, 1, 0, 0, amqp_empty_table);
    MAKEGOOD_ASSERT(told != nullptr);
    return told->message_count;
  }
  std::unique_ptr<Reader> reader() override { return std::make_unique<AmqpReader>(url_); }

 private:
  void publish() {
    const std::string event_id = event_id_like_ours(tag_ + 1);
    amqp_basic_properties_t properties = {};
    properties._flags = AMQP_BASIC_CONTENT_TYPE_FLAG | AMQP_BASIC_DELIVERY_MODE_FLAG | AMQP_BASIC_MESSAGE_ID_FLAG |
                        AMQP_BASIC_HEADERS_FLAG;
    properties.content_type = amqp_cstring_bytes("application/json");
    properties.delivery_mode = AMQP_DELIVERY_PERSISTENT;
    properties.message_id = bytes_of(event_id);
    properties.headers = {static_cast<int>(entries_.size()), entries_.data()};
    MAKEGOOD_ASSERT(amqp_basic_publish(connection_.state(), channel, amqp_empty_bytes, amqp_cstring_bytes(queue), 1, 0,
                                       &properties, bytes_of(content_like_ours())) == AMQP_STATUS_OK);
    unconfirmed_.insert(++tag_);
  }
  void read_confirm() {
    amqp_maybe_release_buffers(connection_.state());
    amqp_frame_t frame;
    MAKEGOOD_ASSERT(amqp_simple_wait_frame(connection_.state(), &frame) == AMQP_STATUS_OK);
    MAKEGOOD_ASSERT(frame.frame_type == AMQP_FRAME_METHOD && frame.payload.method.id == AMQP_BASIC_ACK_METHOD);
    const auto& ack = *static_cast<const amqp_basic_ack_t*>(frame.payload.method.decoded);
    const auto last = unconfirmed_.upper_bound(ack.delivery_tag);
    if (ack.multiple != 0) {
      unconfirmed_.erase(unconfirmed_.begin(), last);
    } else {
      unconfirmed_.erase(ack.delivery_tag);
    }
  }

  const std::string url_;
  Connection connection_;
  const Headers headers_;
  std::vector<amqp_table_entry_t> entries_;
  std::uint64_t tag_ = 0;
  std::set<std::uint64_t> unconfirmed_;
};

}  // namespace

std::unique_ptr<Broker> open_amqp(const std::string& url) { return std::make_unique<AmqpBroker>(url); }

}  // namespace makegood::bench
