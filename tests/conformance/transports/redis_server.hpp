// A Redis server for the tests of this program, and a client that others wrote (hiredis).
#pragma once

#include <hiredis/hiredis.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/server_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace makegood::conformance {

inline constexpr std::string_view no_redis = "redis-server is not installed: apt-get install redis-server";

class RedisServer {
 public:
  /// `settings` are added to its command line. What it has stored is kept over a restart.
  explicit RedisServer(const std::vector<std::string>& settings = {});

  static bool can_be_had() { return !testing_support::path_of_program("redis-server").empty(); }
  /// The one of this program, started when it is first asked for.
  static RedisServer& shared();

  testing_support::ServerProcess& process() { return process_; }
  std::string url(std::uint16_t port = 0) const;

 private:
  testing_support::TemporaryFolder folder_;
  testing_support::ServerProcess process_;
};

/// What fails throws.
class RedisClient {
 public:
  struct FreeReply {
    void operator()(redisReply* reply) const noexcept { freeReplyObject(reply); }
  };
  using Reply = std::unique_ptr<redisReply, FreeReply>;

  explicit RedisClient(std::uint16_t port);
  Reply ask(std::initializer_list<std::string> command) const;
  std::size_t length_of(const std::string& stream) const;
  /// Of every entry of a stream, in order: the value of this field.
  std::vector<std::string> field_of_all(const std::string& stream, const std::string& name) const;

 private:
  struct FreeContext {
    void operator()(redisContext* context) const noexcept { redisFree(context); }
  };
  std::unique_ptr<redisContext, FreeContext> context_;
};

/// The value of a field in one entry, as XRANGE answers it.
std::string field_in(const redisReply& entry, const std::string& name);

}  // namespace makegood::conformance
