#include "transports/http/cloud_event.hpp"

#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include "base/base64.hpp"
#include "base/json.hpp"
#include "transports/http/header_rules.hpp"
#include "transports/net/event_attributes.hpp"

namespace makegood::http {
namespace {

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
