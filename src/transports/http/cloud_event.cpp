#include "transports/http/cloud_event.hpp"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

#include "base/base64.hpp"
#include "base/json.hpp"
#include "base/trace_context.hpp"
#include "transports/http/header_rules.hpp"
#include "transports/http/percent.hpp"

namespace makegood::http {
namespace {

constexpr std::size_t tracestate_bytes_max = 512;

/// Event ids are unique per outbox and tenant, so both are part of the source. The incarnation is not: what is sent
/// again after a restore is still the same event.
std::string source_of(const Delivery& delivery) {
  std::string source = "/makegood/";
  append_path_segment(source, delivery.outbox);
  source += '/';
  append_path_segment(source, delivery.message->tenant_id);
  return source;
}

/// A text with numbers in it, filled in place: a formatted string for each was 1 % of a request.
template <std::size_t size>
class Form {
 public:
  explicit Form(const char (&text)[size]) { std::ranges::copy(text, text_.begin()); }
  /// Decimal, with zeros in front, ending before this place.
  void fill(std::size_t end, std::size_t digits, std::uint64_t value) {
    for (; digits > 0; --digits, value /= 10) text_[--end] = static_cast<char>('0' + value % 10);
  }
  std::string_view view() const { return {text_.data(), size - 1}; }

 private:
  std::array<char, size> text_;
};

auto rfc3339(TimePoint time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::milliseconds>(time - day));
  Form form("YYYY-MM-DDThh:mm:ss.fffZ");
  form.fill(4, 4, static_cast<std::uint64_t>(std::clamp(static_cast<int>(date.year()), 0, 9999)));  // All there is.
  form.fill(7, 2, static_cast<unsigned>(date.month()));
  form.fill(10, 2, static_cast<unsigned>(date.day()));
  form.fill(13, 2, static_cast<std::uint64_t>(clock.hours().count()));
  form.fill(16, 2, static_cast<std::uint64_t>(clock.minutes().count()));
  form.fill(19, 2, static_cast<std::uint64_t>(clock.seconds().count()));
  form.fill(23, 3, static_cast<std::uint64_t>(clock.subseconds().count()));
  return form;
}

/// The extension wants an order of texts: as wide as the greatest number.
auto ordered_number(Sequence sequence) {
  Form form("nnnnnnnnnnnnnnnnnnn");
  form.fill(19, 19, static_cast<std::uint64_t>(sequence));
  return form;
}

/// Every attribute but the content's, in the order in which it is sent.
template <class Add>
void for_each_attribute(const Delivery& delivery, Add add) {
  const Message& message = *delivery.message;
  add("specversion", "1.0");
  add("id", message.event_id);
  add("source", source_of(delivery));
  add("type", message.topic);
  add("time", rfc3339(message.created_at).view());
  if (!message.dispatch_key.empty()) add("subject", message.dispatch_key);
  add("tenant", message.tenant_id);
  add("sequence", ordered_number(message.sequence).view());
  if (!is_traceparent(message.traceparent)) return;
  add("traceparent", message.traceparent);
  if (const auto state = sound_tracestate(message); !state.empty()) add("tracestate", state);
}

/// `application/json`, `text/json`, `application/…+json`; parameters do not matter.
bool is_json_type(std::string_view content_type) {
  const std::string_view type = trimmed(content_type.substr(0, content_type.find(';')));
  const auto ends_so = [&](std::string_view end) {
    return type.size() > end.size() && is_same_header(type.substr(type.size() - end.size()), end);
  };
  return ends_so("/json") || ends_so("+json");
}

/// Otherwise a payload could close the object and write attributes of its own.
bool is_one_json_value(std::string_view text) {
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  rapidjson::BaseReaderHandler<> nobody;
  return !reader.Parse<rapidjson::kParseIterativeFlag>(stream, nobody).IsError();
}

}  // namespace

std::string_view sound_tracestate(const Message& message) {
  const std::string_view state = trimmed(message.tracestate);
  if (!is_traceparent(message.traceparent) || state.size() > tracestate_bytes_max || !is_header_value(state)) return {};
  return state;
}

void append_event_headers(const Delivery& delivery, HeaderLines& headers) {
  for_each_attribute(delivery, [&](std::string_view name, std::string_view value) {
    append_header_text(headers.begin("ce-", name), value);
  });
}

Result<std::string> structured_event(const Delivery& delivery) {
  const Message& message = *delivery.message;
  const bool is_embedded = message.is_json && is_json_type(message.content_type);
  if (is_embedded && !is_one_json_value(message.content)) {
    return Error{Errc::invalid, "The payload is not JSON, so it cannot stand in a structured event."};
  }
  rapidjson::StringBuffer attributes;
  json::Writer writer(attributes);
  writer.StartObject();
  for_each_attribute(delivery,
                     [&](std::string_view name, std::string_view value) { json::write(writer, name, value); });
  json::write(writer, "datacontenttype", message.content_type);
  writer.EndObject();
  std::string event(attributes.GetString(), attributes.GetSize() - 1);  // Without its last brace.
  event.reserve(event.size() + message.content.size() * 4 / 3 + 32);
  if (is_embedded) return std::move(event.append(R"(,"data":)").append(message.content) += '}');
  event += R"(,"data_base64":")";
  event += to_base64(message.content);
  return std::move(event += "\"}");
}

}  // namespace makegood::http
