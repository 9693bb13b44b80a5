#include "transports/redis/asker.hpp"

#include <fmt/format.h>

#include <utility>

namespace makegood::redis {

Asker::Asker(std::string username, std::string database, broker::Credentials credentials)
    : username_(std::move(username)), database_(std::move(database)), credentials_(std::move(credentials)) {}

void Asker::greet(std::initializer_list<std::string_view> arguments) {
  ask(arguments);
  ++greetings_left_;
}

void Asker::begin() {
  if (const auto password = credentials_.find("password"); password != credentials_.end()) {
    if (username_.empty()) greet({"AUTH", password->second});
    if (!username_.empty()) greet({"AUTH", username_, password->second});
  }
  credentials_.clear();
  if (!database_.empty() && database_ != "0") greet({"SELECT", database_});
  greet({"PING"});
}

Result<std::size_t> Asker::receive(std::string_view bytes) {
  std::size_t consumed = 0;
  while (consumed < bytes.size()) {
    const std::string_view rest = bytes.substr(consumed);
    const auto parsed = MAKEGOOD_TRY(parse_value(rest, answer_limits));
    if (!parsed) break;
    consumed += parsed->bytes;
    if (greetings_left_ == 0) {
      answers_.emplace_back(rest.substr(0, parsed->bytes));
    } else if (parsed->value.kind == Value::Kind::error) {
      return Error{Errc::unavailable, fmt::format("The server says {}.", parsed->value.text)};
    } else {
      --greetings_left_;
    }
  }
  return consumed;
}

}  // namespace makegood::redis
