#include "stores/memory/message.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <array>

#include "base/log_row.hpp"

namespace makegood::memory {
namespace {

std::string headers_json(const std::map<std::string, std::string>& headers) {
  if (headers.empty()) return {};
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer(text);
  writer.StartObject();
  for (const auto& [name, value] : headers) {
    writer.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
    writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  }
  writer.EndObject();
  return {text.GetString(), text.GetSize()};
}

}  // namespace

std::shared_ptr<Message> new_row(const NewMessage& message, Ids& ids, TimePoint now) {
  const std::string event_id = message.event_id.empty() ? ids.new_uuid7() : message.event_id;
  const std::string headers = headers_json(message.headers);
  auto row =
      new_message(std::to_array<MessageText>({{&Message::event_id, event_id},
                                              {&Message::tenant_id, message.tenant_id},
                                              {&Message::topic, message.topic},
                                              {&Message::dispatch_key, message.dispatch_key},
                                              {&Message::content, message.body ? *message.body : message.payload},
                                              {&Message::content_type, message.content_type},
                                              {&Message::headers, headers},
                                              {&Message::envelope_id, message.envelope_id},
                                              {&Message::traceparent, message.traceparent},
                                              {&Message::tracestate, message.tracestate}}));
  if (message.content_type.empty()) row->content_type = default_content_type(!message.body);
  row->priority = message.priority;
  row->is_json = !message.body;
  row->created_at = now;
  row->available_at = message.available_at.value_or(now);
  row->expires_at = message.expires_at;
  return row;
}

bool has_same_content(const Message& left, const Message& right) {
  return left.topic == right.topic && left.dispatch_key == right.dispatch_key && left.priority == right.priority &&
         left.content == right.content && left.is_json == right.is_json && left.content_type == right.content_type &&
         left.headers == right.headers;
}

}  // namespace makegood::memory
