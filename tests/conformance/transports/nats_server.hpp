// A NATS server with JetStream for the tests of this program, and a client that others wrote (libnats).
#pragma once

#include <nats/nats.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/server_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace makegood::conformance {

inline constexpr std::string_view no_nats = "nats-server is not installed: apt-get install nats-server";

class NatsServer {
 public:
  /// `settings` are lines of its configuration file. Its streams are kept over a restart.
  explicit NatsServer(const std::string& settings = {});

  static bool can_be_had() { return !testing_support::path_of_program("nats-server").empty(); }
  /// The one of this program, started when it is first asked for.
  static NatsServer& shared();

  testing_support::ServerProcess& process() { return process_; }
  std::string url(std::uint16_t port = 0) const;

 private:
  testing_support::TemporaryFolder folder_;
  testing_support::ServerProcess process_;
};

/// What fails throws.
class NatsClient {
 public:
  explicit NatsClient(const std::string& url);
  ~NatsClient();
  NatsClient(const NatsClient&) = delete;
  NatsClient& operator=(const NatsClient&) = delete;

  natsConnection* connection() const { return connection_; }
  void make_stream(const std::string& name, const std::string& subjects, std::int64_t message_bytes_max = -1) const;
  /// All that it has is removed; its numbers go on.
  void purge(const std::string& stream) const;
  std::uint64_t messages_in(const std::string& stream) const;
  /// Of every message of a stream, in order.
  std::vector<std::string> header_of_all(const std::string& stream, const std::string& name) const;

 private:
  natsConnection* connection_ = nullptr;
  jsCtx* context_ = nullptr;
};

void must(natsStatus status, const char* what);
std::string header_in(natsMsg& message, const std::string& name);

}  // namespace makegood::conformance
