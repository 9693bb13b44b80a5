// A message on its way into the log, as views of what the caller holds, and the rules it must follow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "makegood/message.hpp"
#include "makegood/result.hpp"

namespace makegood {

class PayloadSchemas;

/// No rule allows more, and a store by itself no less.
constexpr std::size_t content_bytes_highest = std::size_t{64} << 20;

/// What a caller may choose.
struct EnqueueRules {
  std::size_t content_bytes_max = std::size_t{256} << 10;
  TopicGrammar topic_grammar = TopicGrammar::any;
  const PayloadSchemas* schemas = nullptr;
  bool may_tell = false;  ///< Topics `makegood.*`: for what Makegood itself has to tell.
};

/// Empty texts are stored as NULL, but for topic, content, event id and tenant.
struct NewRow {
  std::string_view topic;
  std::string_view content;
  bool is_body = false;
  std::string_view event_id;
  std::string_view tenant_id;
  std::string_view dispatch_key;
  std::int64_t priority = 0;
  std::string_view content_type;
  std::string_view headers;  ///< A JSON object of texts, or empty.
  std::string_view envelope_id;
  std::string_view traceparent;
  std::string_view tracestate;
  std::optional<TimePoint> available_at;
  std::optional<TimePoint> expires_at;
};

/// Its own, or that of the program; the source is asked only then.
TraceContext trace_of(const NewMessage& message, const TraceSource& source);
NewRow row_of(const NewMessage& message, std::string_view headers_json, const TraceContext& trace);
/// As a JSON object of texts; empty when there are none.
Result<std::string> encode_headers(const std::map<std::string, std::string>& headers);
Result<> check_message(const NewMessage& message, const EnqueueRules& rules);
Result<> check_row(const NewRow& row, const EnqueueRules& rules);
/// Producers must not tell what only Makegood knows: whoever receives `makegood.*` believes it.
Result<> check_producer_topic(std::string_view topic);
/// What a log of sagas takes: starts of any topic that a producer may use, and requests under their own.
Result<> check_request_topics(std::span<const NewMessage> requests);

}  // namespace makegood
