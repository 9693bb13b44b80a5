#include "tests/conformance/transports/redis_server.hpp"

#include <chrono>
#include <stdexcept>
#include <thread>

namespace makegood::conformance {
namespace {

testing_support::ServerProcess process_in(const testing_support::TemporaryFolder& folder,
                                          const std::vector<std::string>& settings) {
  const std::uint16_t port = testing_support::free_port();
  std::vector<std::string> command = {testing_support::path_of_program("redis-server"),
                                      "--bind",
                                      "127.0.0.1",
                                      "--port",
                                      std::to_string(port),
                                      "--dir",
                                      folder.path().string(),
                                      "--appendonly",
                                      "yes",
                                      "--appendfsync",
                                      "always",
                                      "--save",
                                      ""};
  command.insert(command.end(), settings.begin(), settings.end());
  return {std::move(command), port, folder.file("log")};
}

}  // namespace

RedisServer::RedisServer(const std::vector<std::string>& settings) : process_(process_in(folder_, settings)) {
  process_.start();
}

RedisServer& RedisServer::shared() {
  static RedisServer server;
  return server;
}

std::string RedisServer::url(std::uint16_t port) const {
  return "redis://127.0.0.1:" + std::to_string(port != 0 ? port : process_.port());
}

RedisClient::RedisClient(std::uint16_t port) : context_(redisConnect("127.0.0.1", port)) {
  if (context_ == nullptr || context_->err != 0) throw std::runtime_error("cannot connect to Redis");
}

RedisClient::Reply RedisClient::ask(std::initializer_list<std::string> command) const {
  std::vector<const char*> texts;
  std::vector<std::size_t> sizes;
  for (const std::string& text : command) {
    texts.push_back(text.data());
    sizes.push_back(text.size());
  }
  Reply reply(static_cast<redisReply*>(
      redisCommandArgv(context_.get(), static_cast<int>(texts.size()), texts.data(), sizes.data())));
  if (reply == nullptr) throw std::runtime_error("Redis does not answer");
  return reply;
}

std::size_t RedisClient::length_of(const std::string& stream) const {
  return static_cast<std::size_t>(ask({"XLEN", stream})->integer);
}

std::vector<std::string> RedisClient::field_of_all(const std::string& stream, const std::string& name) const {
  std::vector<std::string> values;
  const Reply entries = ask({"XRANGE", stream, "-", "+"});
  for (std::size_t i = 0; i < entries->elements; ++i) values.push_back(field_in(*entries->element[i], name));
  return values;
}

std::string field_in(const redisReply& entry, const std::string& name) {
  const redisReply& fields = *entry.element[1];
  for (std::size_t i = 0; i + 1 < fields.elements; i += 2) {
    const redisReply& value = *fields.element[i + 1];
    if (std::string_view(fields.element[i]->str, fields.element[i]->len) == name) return {value.str, value.len};
  }
  return {};
}

}  // namespace makegood::conformance
