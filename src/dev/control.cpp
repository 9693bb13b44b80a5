#include "dev/control.hpp"

#include <fmt/format.h>

#include <utility>

#include "api/path.hpp"
#include "base/duration_text.hpp"
#include "base/json.hpp"

namespace makegood::dev {
namespace {

constexpr Duration advance_max = std::chrono::days(365);

Answer refused(int status, std::string_view code, std::string_view message) {
  rapidjson::StringBuffer buffer;
  json::Writer writer(buffer);
  writer.StartObject();
  json::write(writer, "code", code);
  json::write(writer, "message", message);
  writer.EndObject();
  return {.status = status, .body = {buffer.GetString(), buffer.GetSize()}};
}

Answer mistaken(std::string_view message) { return refused(400, to_string(Errc::invalid), message); }

Answer clock_answer() { return {.body = fmt::format(R"({{"now_ms":{}}})", to_milliseconds(system_clock().now()))}; }

/// `{"by": "1h30m"}` or `{"ms": 500}`.
std::optional<Duration> wanted_span(const std::string& body) {
  rapidjson::Document document;
  document.Parse(body.data(), body.size());
  if (document.HasParseError() || !document.IsObject()) return std::nullopt;
  const json::Value* by = json::member(document, "by");
  const json::Value* ms = json::member(document, "ms");
  if (by != nullptr && by->IsString()) return parse_duration(json::text_of(*by));
  if (ms != nullptr && ms->IsInt64()) return std::chrono::milliseconds(ms->GetInt64());
  return std::nullopt;
}

void write_call(json::Writer& writer, const Captured& call) {
  writer.StartObject();
  json::write(writer, "method", call.request.method);
  json::write(writer, "path", call.request.path);
  json::write_name(writer, "headers");
  writer.StartObject();
  for (const auto& [name, value] : call.request.headers) json::write(writer, name, value);
  writer.EndObject();
  json::write(writer, "body", call.request.body);
  json::write(writer, "status", std::int64_t{call.status});
  json::write(writer, "effect", call.has_effect);
  writer.EndObject();
}

std::string path_in(std::string_view query) {
  constexpr std::string_view name = "path=";
  if (!query.starts_with(name)) return {};
  return api::percent_decoded(query.substr(name.size())).value_or(std::string());
}

}  // namespace

Answer Control::answer(const Request& request) {
  return request.path.starts_with("/dev/") ? control(request) : fake(request);
}

Answer Control::control(const Request& request) {
  const std::string what = request.method + " " + request.path;
  if (what == "POST /dev/clock/advance") return advance(request);
  if (what == "GET /dev/clock") return clock_answer();
  if (what == "GET /dev/calls") return calls(request);
  if (what == "DELETE /dev/calls") return answers_.forget_calls(), Answer{};
  if (what == "POST /dev/reset") return answers_.reset(), Answer{};
  if (what != "POST /dev/answers") {
    return refused(
        404, to_string(Errc::not_found),
        "There are POST /dev/answers, GET and DELETE /dev/calls, GET /dev/clock, POST /dev/clock/advance and "
        "POST /dev/reset.");
  }
  auto program = read_program(request.body);
  if (!program) return mistaken(program.error().message);
  answers_.program(*std::move(program));
  return {};
}

Answer Control::fake(const Request& request) {
  const Programmed one = answers_.take(request);
  const auto where = request.headers.find("makegood-callback");
  if (!one.callback.empty() && where != request.headers.end()) {
    callbacks_.add(where->second, one.callback, one.callback_after);
  }
  return one.answer;
}

Answer Control::advance(const Request& request) {
  const auto span = wanted_span(request.body);
  if (!span || *span < Duration::zero() || *span > advance_max) {
    return mistaken("Say how far, as in {\"by\": \"1h30m\"} or {\"ms\": 500}; a year at most, and never back.");
  }
  advance_(*span);
  return clock_answer();
}

Answer Control::calls(const Request& request) const {
  rapidjson::StringBuffer buffer;
  json::Writer writer(buffer);
  writer.StartObject();
  json::write_name(writer, "items");
  writer.StartArray();
  for (const Captured& call : answers_.calls(path_in(request.query))) write_call(writer, call);
  writer.EndArray();
  writer.EndObject();
  return {.body = {buffer.GetString(), buffer.GetSize()}};
}

}  // namespace makegood::dev
