#include "transports/redis/protocol.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "transports/broker/headers.hpp"
#include "transports/broker/repeats.hpp"

namespace makegood::redis {
namespace {

using broker::code_text;
using broker::Token;

/// One script, so that nothing comes between the look and the entry. Both keys have one hash tag: in a cluster they are
/// on one node. It answers whether it was there, and its number.
constexpr std::string_view script = R"(
if ARGV[1] ~= '0' then
  local seen = redis.call('GET', KEYS[2])
  if seen then return {1, seen} end
end
local id
if ARGV[2] == '0' then
  id = redis.call('XADD', KEYS[1], '*', unpack(ARGV, 3))
else
  id = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[2], '*', unpack(ARGV, 3))
end
if ARGV[1] ~= '0' then redis.call('SET', KEYS[2], id, 'PX', ARGV[1]) end
return {0, id}
)";
constexpr std::string_view wait_ms = "1000";

/// Beginnings of errors that say: not now, or not here. Nothing was stored.
constexpr auto for_now = std::to_array<std::string_view>({"OOM", "LOADING", "BUSY", "MASTERDOWN", "CLUSTERDOWN",
                                                          "TRYAGAIN", "NOREPLICAS", "MISCONF", "READONLY", "MOVED",
                                                          "ASK", "NOSCRIPT", "NOPERM", "NOAUTH", "WRONGTYPE"});

std::string_view first_word(std::string_view text) { return text.substr(0, text.find(' ')); }

std::string guard_key(std::string_view stream, const Delivery& delivery) {
  return fmt::format("{{{}}}:makegood:{}/", stream, broker::name_of(delivery));
}

/// Whether the script has found the guard of an earlier one there.
bool was_there(const Value& value) {
  return value.kind == Value::Kind::list && !value.items.empty() && value.items[0].kind == Value::Kind::number &&
         value.items[0].number == 1;
}

struct Field {
  std::string name;
  std::string value;
};

Result<std::vector<Field>> fields_of(const Delivery& delivery) {
  std::vector<Field> fields;
  MAKEGOOD_TRY(broker::for_each_header(delivery, {}, [&](std::string_view name, std::string_view value) {
    fields.push_back({std::string(name), std::string(value)});
  }));
  fields.push_back({"content-type", std::string(delivery.message->content_type)});
  return fields;
}

}  // namespace

Protocol::Protocol(std::string username, std::string database, broker::Credentials credentials)
    : username_(std::move(username)), database_(std::move(database)), credentials_(std::move(credentials)) {}

// The greeting
// --------------------------------------------------------------------------------------------------------------------

void Protocol::ask_greeting(std::initializer_list<std::string_view> arguments, Question question) {
  append_command(outgoing_, arguments);
  asked_.push_back({.question = question});
  ++greetings_left_;
}

void Protocol::begin() {
  if (const auto password = credentials_.find("password"); password != credentials_.end()) {
    if (username_.empty()) ask_greeting({"AUTH", password->second}, Question::greeting);
    if (!username_.empty()) ask_greeting({"AUTH", username_, password->second}, Question::greeting);
  }
  credentials_.clear();
  if (!database_.empty() && database_ != "0") ask_greeting({"SELECT", database_}, Question::greeting);
  ask_greeting({"SCRIPT", "LOAD", script}, Question::script);
  for (const std::string_view name : {"maxmemory-policy", "appendonly", "appendfsync"}) {
    ask_greeting({"CONFIG", "GET", name}, Question::setting);
  }
}

/// Who has not the right to ask gets an error, and no advice.
void Protocol::take_setting(const Value& value) {
  if (value.kind != Value::Kind::list || value.items.size() != 2) return;
  const std::string_view name = value.items[0].text;
  const std::string_view setting = value.items[1].text;
  if (name == "maxmemory-policy" && setting != "noeviction") {
    advice_ += fmt::format(
        " maxmemory-policy is {}: when its memory is full, the server throws streams or guards away; set noeviction.",
        setting);
  }
  if (name == "appendonly" && setting != "yes") {
    advice_ += " appendonly is no: what it has stored since its last snapshot is lost when the server ends.";
  }
  if (name == "appendfsync" && setting != "always") {
    advice_ += fmt::format(" appendfsync is {}: a power cut loses what was stored last, about a second.", setting);
  }
}

// What the server says
// --------------------------------------------------------------------------------------------------------------------

Result<std::size_t> Protocol::receive(std::string_view bytes) {
  std::size_t consumed = 0;
  while (consumed < bytes.size()) {
    const auto parsed = MAKEGOOD_TRY(parse_value(bytes.substr(consumed)));
    if (!parsed) break;
    if (asked_.empty()) return Error{Errc::unavailable, "It answers what nobody has asked."};
    const Asked asked = asked_.front();
    asked_.pop_front();
    MAKEGOOD_TRY(take(asked, parsed->value));
    consumed += parsed->bytes;
  }
  if (has_other_master_) return Error{Errc::unavailable, "The server only follows another one."};
  return consumed;
}

Result<> Protocol::take(const Asked& asked, const Value& value) {
  const bool is_of_greeting = asked.question == Question::greeting || asked.question == Question::script;
  if (is_of_greeting && value.kind == Value::Kind::error) {
    return Error{Errc::unavailable, fmt::format("The server says {}.", value.text)};
  }
  if (is_greeting() && asked.question != Question::entry && asked.question != Question::wait) --greetings_left_;
  switch (asked.question) {
    case Question::greeting:
      return {};
    case Question::script:
      script_ = value.text;
      return {};
    case Question::setting:
      take_setting(value);
      return {};
    case Question::entry:
      take_entry(asked, value);
      return {};
    case Question::wait:
      take_wait(asked, value);
      return {};
  }
  std::unreachable();
}

Reply Protocol::stored(const Asked& asked) const {
  return asked.is_test ? Reply::said({.detail = "Stored." + advice_}) : Reply::said(Outcome::ok());
}

void Protocol::take_entry(const Asked& asked, const Value& value) {
  if (value.kind == Value::Kind::error) return refuse(asked.token, value.text);
  if (asked.is_first && was_there(value)) {
    answers_.push_back({asked.token, broker::repeated(true, "REDIS.DUPLICATE")});
    return;
  }
  if (asked.replicas > 0) return unreplicated_.push_back(asked);
  answers_.push_back({asked.token, stored(asked)});
}

/// Too few replicas: all that was stored before it may be lost with this server.
void Protocol::take_wait(const Asked& asked, const Value& value) {
  const bool has_enough = value.kind == Value::Kind::number && value.number >= 0 &&
                          static_cast<std::uint64_t>(value.number) >= asked.replicas;
  for (const Asked& entry : std::exchange(unreplicated_, {})) {
    answers_.push_back({entry.token, has_enough
                                         ? stored(entry)
                                         : Reply::silent(code_text(Errc::unavailable),
                                                         "Fewer replicas than `replicas` asks for have it in time.")});
  }
}

void Protocol::refuse(Token token, std::string_view error) {
  const std::string_view word = first_word(error);
  has_other_master_ |= word == "READONLY" || word == "MOVED";
  if (word == "NOSCRIPT" && !is_greeting()) ask_greeting({"SCRIPT", "LOAD", script}, Question::script);
  std::string detail = fmt::format("The server says {}.", error);
  const bool is_for_now = std::ranges::find(for_now, word) != for_now.end();
  answers_.push_back({token, is_for_now
                                 ? Reply::unreachable(code_text(Errc::unavailable), std::move(detail))
                                 : Reply::said(Outcome::retry(fmt::format("REDIS.{}", word), std::move(detail)))});
}

// What we say
// --------------------------------------------------------------------------------------------------------------------

std::optional<Reply> Protocol::publish(Token token, const Delivery& delivery, const broker::Target& target) {
  const auto& to = static_cast<const Target&>(target);
  const auto stream = to.address.fill(delivery);
  if (!stream) return broker::refused_here(stream.error());
  if (stream->empty() || stream->find_first_of("{}") != std::string::npos) {
    return Reply::unsendable(code_text(Errc::invalid), "The name of the stream is empty, or has braces in it.");
  }
  const auto fields = fields_of(delivery);
  if (!fields) return broker::refused_here(fields.error());
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(to.guarded_for).count();
  begin_command(outgoing_, 9 + fields->size() * 2);
  for (const std::string_view argument :
       {std::string_view("EVALSHA"), std::string_view(script_), std::string_view("2"), std::string_view(*stream)}) {
    append_argument(outgoing_, argument);
  }
  append_argument(outgoing_, guard_key(*stream, delivery));
  append_argument(outgoing_, std::to_string(milliseconds));
  append_argument(outgoing_, std::to_string(to.max_length));
  for (const Field& field : *fields) {
    append_argument(outgoing_, field.name);
    append_argument(outgoing_, field.value);
  }
  append_argument(outgoing_, "data");
  append_argument(outgoing_, delivery.message->content);
  asked_.push_back({.question = Question::entry,
                    .token = token,
                    .is_test = broker::is_test(delivery),
                    .is_first = delivery.is_first,
                    .replicas = to.replicas});
  round_replicas_ = std::max(round_replicas_, to.replicas);
  return std::nullopt;
}

/// One question for all entries of the round.
void Protocol::end_round() {
  if (round_replicas_ == 0) return;
  append_command(outgoing_, {"WAIT", std::to_string(round_replicas_), wait_ms});
  asked_.push_back({.question = Question::wait, .replicas = round_replicas_});
  round_replicas_ = 0;
}

}  // namespace makegood::redis
