#include "server/event_text.hpp"

#include <fmt/format.h>

#include <utility>

#include "api/json_out.hpp"
#include "base/without_content.hpp"

namespace makegood::server {
namespace {

/// The text of one event: its members are written by `write`.
template <class Write>
std::string event(std::string_view kind, std::string_view outbox, TimePoint at, Write write) {
  rapidjson::StringBuffer buffer;
  api::Writer writer(buffer);
  writer.StartObject();
  api::put(writer, "at", at);
  api::put(writer, "outbox", outbox);
  write(writer);
  writer.EndObject();
  return fmt::format("event: {}\ndata: {}\n\n", kind, std::string_view(buffer.GetString(), buffer.GetSize()));
}

}  // namespace

EventKind kind_of(Fate fate) {
  switch (fate) {
    case Fate::delivered:
      return EventKind::delivered;
    case Fate::retried:
      return EventKind::retried;
    case Fate::died:
      return EventKind::died;
  }
  std::unreachable();
}

EventKind kind_of(SagaNews::Kind kind) {
  return kind == SagaNews::Kind::step_ended ? EventKind::step : EventKind::saga;
}

EventKind kind_of(api::KeyNews::Kind kind) {
  return kind == api::KeyNews::Kind::told ? EventKind::key_told : EventKind::key;
}

std::string attempt_event(std::string_view outbox, const EndedAttempt& delivery, TimePoint at) {
  const Message& message = *delivery.message;
  return event(to_string(kind_of(delivery.fate)), outbox, at, [&](api::Writer& writer) {
    api::put(writer, "sequence", message.sequence);
    api::put(writer, "event_id", message.event_id);
    api::put(writer, "tenant_id", message.tenant_id);
    api::put(writer, "topic", message.topic);
    api::put(writer, "dispatch_key", message.dispatch_key);
    api::put(writer, "destination", delivery.destination ? std::string_view(delivery.destination->name) : "");
    api::put(writer, "attempt", delivery.attempt);
    api::put(writer, "code", delivery.code);
    api::put(writer, "detail", std::string_view(without_content(delivery.detail, message.content)));
    api::put_milliseconds(writer, "latency_ms", delivery.since_created);
    api::put_milliseconds(writer, "duration_ms", delivery.since_sent);
  });
}

std::string news_event(std::string_view outbox, const LaneNews& news, TimePoint at) {
  return event("news", outbox, at, [&](api::Writer& writer) {
    api::put(writer, "what", to_string(news.kind));
    api::put(writer, "destination", news.scope.destination);
    api::put(writer, "tenant_id", news.scope.tenant_id);
    if (news.sequence > 0) api::put(writer, "sequence", news.sequence);
  });
}

std::string source_event(std::string_view outbox, std::string_view source, const SourceNews& news, TimePoint at) {
  return event("source", outbox, at, [&](api::Writer& writer) {
    api::put(writer, "what", to_string(news.kind));
    api::put(writer, "source", source);
    if (news.count > 0) api::put(writer, "count", news.count);
    api::put(writer, "code", news.code);
    api::put(writer, "detail", news.error);
  });
}

std::string saga_event(std::string_view log, const SagaNews& news, TimePoint at) {
  return event(to_string(kind_of(news.kind)), log, at, [&](api::Writer& writer) {
    api::put(writer, "what", to_string(news.kind));
    api::put(writer, "definition", news.definition);
    api::put(writer, "tenant_id", news.tenant_id);
    api::put(writer, "execution", news.id);
    api::put(writer, "step", news.step);
    api::put(writer, "code", news.code);
    api::put_milliseconds(writer, "duration_ms", news.took);
  });
}

std::string key_event(const api::KeyNews& news, TimePoint at) {
  return event(to_string(kind_of(news.kind)), {}, at, [&](api::Writer& writer) {
    api::put(writer, "what", api::to_string(news.kind));
    api::put(writer, "tenant_id", news.key.tenant_id);
    api::put(writer, "scope", news.key.scope);
    api::put(writer, "key", news.key.key);
    api::put(writer, "code", news.code);
    api::put(writer, "count", news.count);
  });
}

std::string ownership_event(std::string_view outbox, std::string_view what, std::string_view owner, TimePoint at) {
  return event("ownership", outbox, at, [&](api::Writer& writer) {
    api::put(writer, "what", what);
    api::put(writer, "owner", owner);
  });
}

std::string alarm_event(std::string_view outbox, const Error& error, TimePoint at) {
  return event("alarm", outbox, at, [&](api::Writer& writer) {
    api::put(writer, "code", to_string(error.code));
    api::put(writer, "detail", error.message);
  });
}

std::string missed_event(std::size_t count) { return fmt::format("event: missed\ndata: {{\"count\":{}}}\n\n", count); }

}  // namespace makegood::server
