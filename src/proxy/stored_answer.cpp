#include "proxy/stored_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/json.hpp"
#include "base/utf8.hpp"
#include "server/answer_text.hpp"

namespace makegood::proxy {
namespace {

/// Of one client or of one moment.
constexpr auto not_stored = std::to_array<std::string_view>({"set-cookie", "set-cookie2", "date", "age"});
/// About a body that is not there.
constexpr auto about_body = std::to_array<std::string_view>(
    {"content-type", "content-encoding", "content-language", "content-range", "content-md5", "content-digest",
     "repr-digest", "digest", "etag", "last-modified", "accept-ranges"});

/// A list of pairs, because an answer may have a header twice.
std::string json_of(const Headers& headers) {
  rapidjson::StringBuffer buffer;
  json::Writer writer(buffer);
  writer.StartArray();
  for (const auto& [name, value] : headers) {
    if (is_one_of(name, not_stored) || !is_text(value)) continue;
    writer.StartArray();
    json::write_text(writer, name);
    json::write_text(writer, value);
    writer.EndArray();
  }
  writer.EndArray();
  return {buffer.GetString(), buffer.GetSize()};
}

Headers headers_in(const std::string& text) {
  Headers headers;
  rapidjson::Document list;
  list.Parse(text.data(), text.size());
  if (list.HasParseError() || !list.IsArray()) return headers;
  for (const json::Value& pair : list.GetArray()) {
    if (!pair.IsArray() || pair.Size() != 2 || !pair[0].IsString() || !pair[1].IsString()) continue;
    headers.emplace_back(json::text_of(pair[0]), json::text_of(pair[1]));
  }
  return headers;
}

std::string digest_body(const StoredResult& stored) {
  rapidjson::StringBuffer buffer;
  json::Writer writer(buffer);
  writer.StartObject();
  json::write(writer, "result_truncated", true);
  json::write(writer, "digest", std::string_view(stored.digest));
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

}  // namespace

StoredResult stored_answer(const AnswerHead& head, std::string body) {
  return {.snapshot =
              Snapshot{.status = head.status, .headers = json_of(end_to_end(head.headers)), .body = std::move(body)}};
}

StoredResult truncated_answer(const AnswerHead& head) {
  StoredResult result = stored_answer(head, {});
  result.is_truncated = true;
  return result;
}

WholeAnswer replay_of(const StoredResult& stored) {
  WholeAnswer answer{.status = 200};
  if (stored.snapshot) {
    answer = {.status = stored.snapshot->status, .headers = headers_in(stored.snapshot->headers)};
  }
  const bool is_whole = stored.snapshot && !stored.is_truncated;
  if (is_whole) answer.body = stored.snapshot->body;
  if (!is_whole) {
    std::erase_if(answer.headers, [](const auto& header) { return is_one_of(header.first, about_body); });
    if (has_body(answer.status)) {
      answer.headers.emplace_back("Content-Type", "application/json");
      answer.body = digest_body(stored);
    }
  }
  answer.reason = server::reason_of(answer.status);
  answer.headers.emplace_back("Idempotency-Replayed", "true");
  answer.headers.emplace_back("Idempotency-Status", is_whole ? "replayed" : "result_truncated");
  return answer;
}

}  // namespace makegood::proxy
