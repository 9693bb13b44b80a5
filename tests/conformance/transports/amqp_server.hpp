// A RabbitMQ server for the tests of this program, and a client that others wrote (rabbitmq-c).
#pragma once

#include <amqp.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/server_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace makegood::conformance {

inline constexpr std::string_view no_rabbitmq = "RabbitMQ is not installed: apt-get install rabbitmq-server";

/// That the server takes.
inline constexpr std::size_t message_bytes_max = 2'000'000;

class AmqpServer {
 public:
  AmqpServer();
  ~AmqpServer();
  AmqpServer(const AmqpServer&) = delete;
  AmqpServer& operator=(const AmqpServer&) = delete;

  static bool can_be_had() { return !program().empty(); }
  /// The one of this program, started when it is first asked for: that takes a dozen seconds.
  static AmqpServer& shared();

  testing_support::ServerProcess& process() { return *process_; }
  std::string url(std::uint16_t port = 0) const;
  /// Runs rabbitmqctl.
  void control(const std::vector<std::string>& arguments) const;

 private:
  static std::string program();

  testing_support::TemporaryFolder folder_;
  std::vector<std::string> environment_;
  std::unique_ptr<testing_support::ServerProcess> process_;
};

/// What came out of a queue.
struct AmqpMessage {
  std::string content = {};
  std::string content_type = {};
  std::string message_id = {};
  int delivery_mode = 0;
  std::map<std::string, std::string> headers = {};
};

/// What fails throws.
class AmqpClient {
 public:
  explicit AmqpClient(std::uint16_t port);
  ~AmqpClient();
  AmqpClient(const AmqpClient&) = delete;
  AmqpClient& operator=(const AmqpClient&) = delete;

  /// Empty and durable. With a limit, what is beyond it is refused.
  void make_queue(const std::string& name, std::optional<int> length_max = {});
  /// The same, with a single active consumer.
  void make_queue_of_one_consumer(const std::string& name);
  void remove_queue(const std::string& name);
  /// The next one, removed from the queue.
  std::optional<AmqpMessage> take(const std::string& queue);

 private:
  void declare(const std::string& name, std::vector<amqp_table_entry_t> entries);

  amqp_connection_state_t connection_;
};

}  // namespace makegood::conformance
