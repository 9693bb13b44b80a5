// Messages and parked deliveries for tests: named after what matters in the test, everything else has a sound default.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "makegood/message.hpp"
#include "makegood/spi/store.hpp"

namespace makegood::testing_support {

/// A UUID that belongs to the name, the same in every run.
inline std::string event_id_for(std::string_view name) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  std::string id = "00000000-0000-7000-8000-000000000000";
  for (auto digit = id.rbegin(); digit != id.rbegin() + 12; ++digit, hash >>= 4)
    *digit = "0123456789abcdef"[hash & 15U];
  return id;
}

/// A message on its way into a log; converts to NewMessage.
class MessageBuilder {
 public:
  explicit MessageBuilder(std::string_view name) {
    message_.topic = "orders.placed";
    message_.payload = '"' + std::string(name) + '"';
    message_.event_id = event_id_for(name);
  }

  MessageBuilder& with_key(std::string key) { return set(message_.dispatch_key, std::move(key)); }
  MessageBuilder& of_tenant(std::string tenant) { return set(message_.tenant_id, std::move(tenant)); }
  MessageBuilder& with_priority(int priority) { return set(message_.priority, priority); }
  MessageBuilder& with_topic(std::string topic) { return set(message_.topic, std::move(topic)); }
  MessageBuilder& with_payload(std::string json) { return set(message_.payload, std::move(json)); }
  MessageBuilder& with_body(std::string bytes) { return set(message_.body, std::move(bytes)); }
  MessageBuilder& with_event_id(std::string id) { return set(message_.event_id, std::move(id)); }
  MessageBuilder& with_header(std::string name, std::string value) {
    return set(message_.headers[std::move(name)], std::move(value));
  }
  MessageBuilder& available_at(TimePoint moment) { return set(message_.available_at, moment); }
  MessageBuilder& expires_at(TimePoint moment) { return set(message_.expires_at, moment); }

  operator NewMessage() const { return message_; }

 private:
  template <class Field, class Value>
  MessageBuilder& set(Field& field, Value value) {
    field = std::move(value);
    return *this;
  }

  NewMessage message_;
};

/// Its payload is its name as a JSON text, its event id belongs to its name.
inline MessageBuilder a_message(std::string_view name) { return MessageBuilder(name); }

/// The name that `a_message` was given.
inline std::string name_of(const Message& message) {
  return std::string(message.content.substr(1, message.content.size() - 2));
}

/// A parked delivery; converts to Parked, and to a change of a turn.
class ParkedBuilder {
 public:
  ParkedBuilder(Sequence sequence, std::string destination) {
    row_ = {.sequence = sequence, .destination = std::move(destination), .tenant_id = "default", .dispatch_key = {}};
  }

  ParkedBuilder& of_tenant(std::string tenant) { return set(row_.tenant_id, std::move(tenant)); }
  ParkedBuilder& with_key(std::string key) { return set(row_.dispatch_key, std::move(key)); }
  ParkedBuilder& blocking() { return set(row_.blocks, true); }
  ParkedBuilder& under_way() { return set(row_.under_way, true); }
  ParkedBuilder& after_attempts(std::uint32_t count) { return set(row_.attempts, count); }
  ParkedBuilder& answered(std::uint32_t count) { return set(row_.answered, count); }
  ParkedBuilder& after_deaths(std::uint32_t count) { return set(row_.deaths, count); }
  ParkedBuilder& of_replay(std::int64_t request) { return set(row_.replay, request); }
  ParkedBuilder& with_error(std::string code, std::string text) {
    row_.error_code = std::move(code);
    return set(row_.last_error, std::move(text));
  }
  ParkedBuilder& waiting_until(TimePoint due_at) {
    row_.due_at = due_at;
    return set(row_.state, ParkedState::waiting);
  }
  ParkedBuilder& in_state(ParkedState state) { return set(row_.state, state); }
  ParkedBuilder& held() { return in_state(ParkedState::held); }
  ParkedBuilder& dead() { return in_state(ParkedState::dead); }
  ParkedBuilder& quarantined() { return in_state(ParkedState::quarantined); }
  ParkedBuilder& done() { return in_state(ParkedState::done); }

  operator Parked() const { return row_; }
  operator Turn::Change() const { return {.row = row_}; }
  Turn::Change noting(AttemptNote note) const { return {.row = row_, .note = std::move(note)}; }

 private:
  template <class Field, class Value>
  ParkedBuilder& set(Field& field, Value value) {
    field = std::move(value);
    return *this;
  }

  Parked row_;
};

inline ParkedBuilder a_parked(Sequence sequence, std::string destination = "fn:a") {
  return {sequence, std::move(destination)};
}

}  // namespace makegood::testing_support
