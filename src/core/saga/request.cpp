#include "core/saga/request.hpp"

#include <array>
#include <utility>

#include "base/json.hpp"
#include "base/json_text.hpp"
#include "core/saga/judgement.hpp"

namespace makegood::core {
namespace {

/// A caller may have written it with plain SQL: what is missing is empty, what is of another kind is a mistake.
std::string text_at(const json::Value& object, const char* name) {
  const json::Value* value = json::member(object, name);
  return value != nullptr && value->IsString() ? json::text_of(*value) : std::string();
}

std::uint32_t number_at(const json::Value& object, const char* name) {
  const json::Value* value = json::member(object, name);
  return value != nullptr && value->IsUint() ? value->GetUint() : 0;
}

LogRequest read_answer(const json::Value& object, Sequence request) {
  const auto direction = direction_from(text_at(object, "direction"));
  const auto outcome = saga_outcome_from(text_at(object, "outcome"));
  const bool is_progress = text_at(object, "outcome") == progress_word;
  if (!direction || (!outcome && !is_progress)) return NotUnderstood{"an answer without direction or outcome"};
  SagaAnswer answer{.step = text_at(object, "step"),
                    .direction = *direction,
                    .round = number_at(object, "round"),
                    .attempt = number_at(object, "attempt"),
                    .outcome = outcome.value_or(SagaOutcome::unknown),
                    .is_progress = is_progress,
                    .code = text_at(object, "code"),
                    .error = text_at(object, "error"),
                    .output = text_at(object, "output"),
                    .request = request};
  make_storable(answer);
  return AboutExecution{.id = text_at(object, "execution"), .what = std::move(answer)};
}

/// `data` as it was written: numbers keep all their digits.
LogRequest read_event(const json::Value& object, const Message& row) {
  const std::string text(row.content);
  const auto data = json::value_at(text, std::array<std::string, 1>{"data"});
  return AboutExecution{.id = text_at(object, "execution"),
                        .what = SagaRequest{.verb = "event",
                                            .body = std::string(data.value_or("")),
                                            .event = text_at(object, "event"),
                                            .operator_name = text_at(object, "operator"),
                                            .request = row.sequence}};
}

LogRequest read_wish(const json::Value& object, std::string_view verb, Sequence request) {
  return AboutExecution{.id = text_at(object, "execution"),
                        .what = SagaRequest{.verb = std::string(verb),
                                            .step = text_at(object, "step"),
                                            .seen_state = text_at(object, "state"),
                                            .choice = text_at(object, "choice"),
                                            .body = text_at(object, "body"),
                                            .version = number_at(object, "version"),
                                            .operator_name = text_at(object, "operator"),
                                            .reason = text_at(object, "reason"),
                                            .request = request}};
}

std::int64_t version_in(const json::Value& headers) {
  const std::string text = text_at(headers, "saga-version");
  return text.empty() || text.find_first_not_of("0123456789") != std::string::npos || text.size() > 9
             ? 0
             : std::stoll(text);
}

class RowWriter {
 public:
  RowWriter() { writer_.StartObject(); }
  RowWriter& add(std::string_view name, std::string_view text) {
    if (!text.empty()) json::write(writer_, name, text);
    return *this;
  }
  RowWriter& add(std::string_view name, std::uint32_t number) {
    json::write(writer_, name, std::int64_t{number});
    return *this;
  }
  RowWriter& add_json(std::string_view name, std::string_view json) {
    if (json.empty()) return *this;
    json::write_name(writer_, name);
    writer_.RawValue(json.data(), json.size(), rapidjson::kObjectType);
    return *this;
  }
  std::string text() {
    writer_.EndObject();
    return {buffer_.GetString(), buffer_.GetSize()};
  }

 private:
  rapidjson::StringBuffer buffer_;
  json::Writer writer_{buffer_};
};

}  // namespace

StartAsked read_start(const Message& row) {
  rapidjson::Document headers;
  if (!row.headers.empty()) headers.Parse(row.headers.data(), row.headers.size());
  if (headers.HasParseError() || !headers.IsObject()) return {};
  return {.version = version_in(headers), .on_busy = saga_on_busy_from(text_at(headers, "saga-on-busy"))};
}

LogRequest read_request(const Message& row) {
  if (!row.topic.starts_with(request_prefix)) return read_start(row);
  rapidjson::Document document;
  document.Parse(row.content.data(), row.content.size());
  if (document.HasParseError() || !document.IsObject()) return NotUnderstood{"a request that is no JSON object"};
  if (row.topic == define_topic) return DefinitionPut{.name = text_at(document, "name")};
  if (row.topic == answer_topic) return read_answer(document, row.sequence);
  if (row.topic == event_topic) return read_event(document, row);
  return read_wish(document, row.topic.substr(request_prefix.size()), row.sequence);
}

NewMessage answer_row(std::string_view id, const SagaAnswer& answer) {
  RowWriter row;
  row.add("execution", id).add("step", answer.step).add("direction", to_string(answer.direction));
  row.add("round", answer.round)
      .add("attempt", answer.attempt)
      .add("outcome", answer.is_progress ? progress_word : makegood::to_string(answer.outcome));
  row.add("code", answer.code).add("error", answer.error).add("output", answer.output);
  return {.topic = std::string(answer_topic), .payload = row.text()};
}

NewMessage request_row(std::string_view id, const SagaRequest& request) {
  RowWriter row;
  if (request.verb == "event") {
    row.add("execution", id).add("event", request.event).add("operator", request.operator_name);
    row.add_json("data", request.body);
    return {.topic = std::string(event_topic), .payload = row.text()};
  }
  row.add("execution", id).add("step", request.step).add("state", request.seen_state).add("choice", request.choice);
  row.add("body", request.body).add("operator", request.operator_name).add("reason", request.reason);
  if (request.version > 0) row.add("version", static_cast<std::uint32_t>(request.version));
  return {.topic = std::string(request_prefix) + request.verb, .payload = row.text()};
}

}  // namespace makegood::core
