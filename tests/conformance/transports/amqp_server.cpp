#include "tests/conformance/transports/amqp_server.hpp"

#include <amqp_tcp_socket.h>

#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace makegood::conformance {
namespace {

using testing_support::free_port;
using testing_support::ServerProcess;

void must(const amqp_rpc_reply_t& reply, const char* what) {
  if (reply.reply_type != AMQP_RESPONSE_NORMAL) throw std::runtime_error(std::string("RabbitMQ: ") + what);
}

std::string text_of(const amqp_bytes_t& bytes) { return {static_cast<const char*>(bytes.bytes), bytes.len}; }

std::map<std::string, std::string> headers_in(const amqp_table_t& table) {
  std::map<std::string, std::string> headers;
  for (int i = 0; i < table.num_entries; ++i) {
    const amqp_table_entry_t& entry = table.entries[i];
    if (entry.value.kind == AMQP_FIELD_KIND_UTF8) headers[text_of(entry.key)] = text_of(entry.value.value.bytes);
  }
  return headers;
}

}  // namespace

/// Not the one in /usr/sbin, which changes its user and where it writes to.
std::string AmqpServer::program() {
  const std::string path = "/usr/lib/rabbitmq/bin/rabbitmq-server";
  return std::ifstream(path).good() ? path : std::string();
}

AmqpServer::AmqpServer() {
  const std::uint16_t port = free_port();
  const std::string folder = folder_.path().string();
  std::ofstream(folder_.file("enabled_plugins")) << "[].\n";
  std::ofstream(folder_.file("rabbitmq.conf"))
      << "loopback_users = none\nmax_message_size = " << message_bytes_max << '\n';
  environment_ = {"RABBITMQ_NODENAME=makegood" + std::to_string(port) + "@localhost",
                  "RABBITMQ_NODE_IP_ADDRESS=127.0.0.1",
                  "RABBITMQ_NODE_PORT=" + std::to_string(port),
                  "RABBITMQ_DIST_PORT=" + std::to_string(free_port()),
                  "RABBITMQ_MNESIA_BASE=" + folder + "/mnesia",
                  "RABBITMQ_LOG_BASE=" + folder + "/log",
                  "RABBITMQ_ENABLED_PLUGINS_FILE=" + folder + "/enabled_plugins",
                  "RABBITMQ_CONFIG_FILE=" + folder + "/rabbitmq.conf",
                  "HOME=" + folder,
                  "ERL_EPMD_ADDRESS=127.0.0.1",
                  "ERL_EPMD_RELAXED_COMMAND_CHECK=1",  // It may be ended although a node was there a moment ago.
                  "ERL_EPMD_PORT=" + std::to_string(free_port()),
                  "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=-kernel inet_dist_use_interface {127,0,0,1}"};
  process_ = std::make_unique<ServerProcess>(std::vector{program()}, port, folder_.file("server.log"), environment_);
  process_->start(std::chrono::seconds(180));
}

AmqpServer::~AmqpServer() {
  process_->kill();
  // The port mapper of Erlang stays behind in a group of its own.
  ServerProcess({"/usr/bin/epmd", "-kill"}, 0, folder_.file("epmd.log"), environment_).run_to_end();
}

AmqpServer& AmqpServer::shared() {
  static AmqpServer server;
  return server;
}

std::string AmqpServer::url(std::uint16_t port) const {
  return "amqp://127.0.0.1:" + std::to_string(port != 0 ? port : process_->port());
}

void AmqpServer::control(const std::vector<std::string>& arguments) const {
  std::vector<std::string> command = {"/usr/lib/rabbitmq/bin/rabbitmqctl"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  ServerProcess(command, 0, folder_.file("control.log"), environment_).run_to_end();
}

AmqpClient::AmqpClient(std::uint16_t port) : connection_(amqp_new_connection()) {
  amqp_socket_t* socket = amqp_tcp_socket_new(connection_);
  if (socket == nullptr || amqp_socket_open(socket, "127.0.0.1", port) != AMQP_STATUS_OK) {
    throw std::runtime_error("cannot connect to RabbitMQ");
  }
  must(amqp_login(connection_, "/", 0, 131072, 0, AMQP_SASL_METHOD_PLAIN, "guest", "guest"), "login");
  amqp_channel_open(connection_, 1);
  must(amqp_get_rpc_reply(connection_), "channel");
}

AmqpClient::~AmqpClient() { amqp_destroy_connection(connection_); }

void AmqpClient::remove_queue(const std::string& name) {
  amqp_queue_delete(connection_, 1, amqp_cstring_bytes(name.c_str()), 0, 0);
  must(amqp_get_rpc_reply(connection_), "remove a queue");
}

void AmqpClient::make_queue(const std::string& name, std::optional<int> length_max) {
  if (!length_max) return declare(name, {});
  amqp_table_entry_t limit = {};
  limit.key = amqp_cstring_bytes("x-max-length");
  limit.value.kind = AMQP_FIELD_KIND_I32;
  limit.value.value.i32 = *length_max;
  amqp_table_entry_t overflow = {};
  overflow.key = amqp_cstring_bytes("x-overflow");
  overflow.value.kind = AMQP_FIELD_KIND_UTF8;
  overflow.value.value.bytes = amqp_cstring_bytes("reject-publish");
  declare(name, {limit, overflow});
}

void AmqpClient::make_queue_of_one_consumer(const std::string& name) {
  amqp_table_entry_t single = {};
  single.key = amqp_cstring_bytes("x-single-active-consumer");
  single.value.kind = AMQP_FIELD_KIND_BOOLEAN;
  single.value.value.boolean = 1;
  declare(name, {single});
}

void AmqpClient::declare(const std::string& name, std::vector<amqp_table_entry_t> entries) {
  remove_queue(name);
  const amqp_table_t arguments = {static_cast<int>(entries.size()), entries.data()};
  amqp_queue_declare(connection_, 1, amqp_cstring_bytes(name.c_str()), 0, 1, 0, 0, arguments);
  must(amqp_get_rpc_reply(connection_), "queue");
}

std::optional<AmqpMessage> AmqpClient::take(const std::string& name) {
  amqp_maybe_release_buffers(connection_);
  const amqp_rpc_reply_t reply = amqp_basic_get(connection_, 1, amqp_cstring_bytes(name.c_str()), 1);
  must(reply, "get");
  if (reply.reply.id == AMQP_BASIC_GET_EMPTY_METHOD) return std::nullopt;
  amqp_message_t read = {};
  must(amqp_read_message(connection_, 1, &read, 0), "read");
  AmqpMessage message{.content = text_of(read.body),
                      .content_type = text_of(read.properties.content_type),
                      .message_id = text_of(read.properties.message_id),
                      .delivery_mode = read.properties.delivery_mode,
                      .headers = headers_in(read.properties.headers)};
  amqp_destroy_message(&read);
  return message;
}

}  // namespace makegood::conformance
