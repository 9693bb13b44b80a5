// The C face: no exception leaves it.
#include <rapidjson/document.h>

#include <exception>

#include "base/header_rules.hpp"
#include "makegood/sqlite.h"
#include "stores/sqlite/message_writer.hpp"

namespace makegood::sqlite {
namespace {

std::string_view text_or(const char* text, std::string_view otherwise = {}) {
  return text != nullptr ? std::string_view(text) : otherwise;
}

std::optional<TimePoint> unless_zero(std::int64_t milliseconds) {
  if (milliseconds == 0) return std::nullopt;
  return from_milliseconds(milliseconds);
}

Result<> check_headers(std::string_view json) {
  if (json.empty()) return {};
  rapidjson::Document document;
  document.Parse(json.data(), json.size());
  const Error no_texts{Errc::invalid, "The headers must be a JSON object of texts."};
  if (document.HasParseError() || !document.IsObject()) return no_texts;
  const auto text_of = [](const rapidjson::Value& text) {
    return std::string_view(text.GetString(), text.GetStringLength());
  };
  HeaderCheck check;
  for (const auto& member : document.GetObject()) {
    if (!member.value.IsString()) return no_texts;
    MAKEGOOD_TRY(check.take(text_of(member.name), text_of(member.value)));
  }
  return {};
}

Result<Enqueued> enqueue(sqlite3* db, const char* outbox, const makegood_message& message) {
  EnqueueOptions options;
  if (outbox != nullptr) options.outbox = outbox;
  const NewRow row{
      .topic = text_or(message.topic),
      .content = {message.content, message.content_bytes},
      .is_body = message.is_body != 0,
      .event_id = text_or(message.event_id),
      .tenant_id = text_or(message.tenant_id, "default"),
      .dispatch_key = text_or(message.dispatch_key),
      .priority = message.priority,
      .content_type = text_or(message.content_type),
      .headers = text_or(message.headers_json),
      .envelope_id = text_or(message.envelope_id),
      .traceparent = text_or(message.traceparent),
      .tracestate = text_or(message.tracestate),
      .available_at = unless_zero(message.available_at_ms),
      .expires_at = unless_zero(message.expires_at_ms),
  };
  MAKEGOOD_TRY(check_headers(row.headers));
  MessageWriter writer = MAKEGOOD_TRY(MessageWriter::open(db, std::move(options), system_clock()));
  return writer.write(row);
}

int refuse(std::string_view sentence, char* error, std::size_t error_bytes) {
  if (error == nullptr || error_bytes == 0) return 1;
  const std::size_t bytes = sentence.copy(error, error_bytes - 1);
  error[bytes] = '\0';
  return 1;
}

}  // namespace
}  // namespace makegood::sqlite

int makegood_sqlite_enqueue(struct sqlite3* db, const char* outbox, const makegood_message* message, int64_t* sequence,
                            char* error, size_t error_bytes) {
  using namespace makegood::sqlite;
  if (db == nullptr || message == nullptr) return refuse("A connection and a message are needed.", error, error_bytes);
  try {
    const auto enqueued = enqueue(db, outbox, *message);
    if (!enqueued) return refuse(enqueued.error().message, error, error_bytes);
    if (sequence != nullptr) *sequence = enqueued->sequence;
    return 0;
  } catch (const std::exception& exception) {
    return refuse(exception.what(), error, error_bytes);
  }
}
