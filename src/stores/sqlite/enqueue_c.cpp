// The C face: no exception leaves it.
#include <rapidjson/document.h>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>

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

EnqueueOptions options_of(const makegood_enqueue_options& said) {
  EnqueueOptions options;
  if (said.outbox != nullptr) options.outbox = said.outbox;
  if (said.content_bytes_max != 0) options.content_bytes_max = said.content_bytes_max;
  if (said.has_versioned_topics != 0) options.topic_grammar = TopicGrammar::versioned;
  options.may_autocommit = said.may_autocommit != 0;
  return options;
}

Result<Enqueued> enqueue(sqlite3* db, const makegood_enqueue_options* options, const makegood_message* said) {
  if (db == nullptr || said == nullptr) return Error{Errc::invalid, "A connection and a message are needed."};
  const makegood_message& message = *said;
  const NewRow row{
      .topic = text_or(message.topic),
      .content = {message.content, message.content_bytes},
      .is_body = message.is_body != 0,
      .event_id = text_or(message.event_id),
      .tenant_id = text_or(message.tenant_id, default_tenant_id),
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
  EnqueueOptions chosen = options_of(options != nullptr ? *options : makegood_enqueue_options{});
  MessageWriter writer = MAKEGOOD_TRY(MessageWriter::open(db, std::move(chosen), system_clock(), process_ids()));
  return writer.write(row);
}

constexpr std::array codes = {
    std::pair(makegood_invalid, Errc::invalid),
    std::pair(makegood_not_in_transaction, Errc::not_in_transaction),
    std::pair(makegood_conflict, Errc::conflict),
    std::pair(makegood_payload_too_large, Errc::payload_too_large),
    std::pair(makegood_store_unavailable, Errc::store_unavailable),
    std::pair(makegood_store_full, Errc::store_full),
    std::pair(makegood_store_corrupt, Errc::store_corrupt),
    std::pair(makegood_schema_mismatch, Errc::schema_mismatch),
};

makegood_code code_of(Errc code) {
  const auto* const known = std::ranges::find(codes, code, &std::pair<makegood_code, Errc>::second);
  return known != codes.end() ? known->first : makegood_internal;
}

void write_sentence(std::string_view sentence, char* error, std::size_t error_bytes) {
  if (error == nullptr || error_bytes == 0) return;
  const std::size_t bytes = sentence.copy(error, error_bytes - 1);
  error[bytes] = '\0';
}

}  // namespace
}  // namespace makegood::sqlite

int makegood_sqlite_enqueue_with(struct sqlite3* db, const makegood_enqueue_options* options,
                                 const makegood_message* message, makegood_enqueued* enqueued) {
  using namespace makegood::sqlite;
  makegood_enqueued ignored;
  makegood_enqueued& answer = enqueued != nullptr ? *enqueued : ignored;
  answer = {};
  try {
    const auto written = enqueue(db, options, message);
    if (written) {
      answer.sequence = written->sequence;
      answer.was_there = written->was_there ? 1 : 0;
      return makegood_ok;
    }
    write_sentence(written.error().message, answer.error, sizeof answer.error);
    return code_of(written.error().code);
  } catch (const std::exception& exception) {
    write_sentence(exception.what(), answer.error, sizeof answer.error);
    return makegood_internal;
  }
}

int makegood_sqlite_enqueue(struct sqlite3* db, const char* outbox, const makegood_message* message, int64_t* sequence,
                            char* error, size_t error_bytes) {
  makegood_enqueue_options options = {};
  options.outbox = outbox;
  makegood_enqueued enqueued;
  const int code = makegood_sqlite_enqueue_with(db, &options, message, &enqueued);
  if (code != makegood_ok) {
    makegood::sqlite::write_sentence(enqueued.error, error, error_bytes);
  } else if (sequence != nullptr) {
    *sequence = enqueued.sequence;
  }
  return code;
}

const char* makegood_code_text(int code) {
  using namespace makegood;
  if (code == makegood_ok) return "OK";
  const auto* const known =
      std::ranges::find_if(sqlite::codes, [code](const auto& pair) { return static_cast<int>(pair.first) == code; });
  return to_string(known != sqlite::codes.end() ? known->second : Errc::internal)
      .data();  // Each ends with a zero byte.
}
