#include "tests/unit/api/place.hpp"
#include "tests/support/value_of.hpp"

#include <fmt/format.h>
#include <rapidjson/pointer.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace makegood::api {
namespace {

constexpr auto patience = std::chrono::seconds(20);

rapidjson::Document parsed(const Answer& answer) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseFullPrecisionFlag>(answer.body.data(), answer.body.size());
  if (document.HasParseError()) throw std::runtime_error("not JSON: " + answer.body);
  return document;
}

std::string json_of(const rapidjson::Value& value) {
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer(text);
  value.Accept(writer);
  return text.GetString();
}

/// Another program compares every answer with the document that describes them.
void keep_for_others(const Call& call, const Answer& answer) {
  const char* file = std::getenv("MAKEGOOD_ANSWERS_FILE");
  if (file == nullptr || !answer.content_type.ends_with("json")) return;
  std::ofstream(file, std::ios::app) << fmt::format(
      "{{\"method\":\"{}\",\"path\":{},\"status\":{},\"content_type\":\"{}\",\"body\":{}}}\n", call.method,
      json_of(rapidjson::Value(rapidjson::StringRef(call.path.data(), call.path.size()))), answer.status,
      answer.content_type, answer.body);
}

std::string whole(const std::string& path) {
  return path.starts_with('/') ? path : fmt::format("/api/outboxes/{}/{}", outbox, path);
}

}  // namespace

Place::Place() : url_("sqlite:" + folder_.file("api.db")) {
  api_context_.store_url = url_;
  api_context_.outboxes = {outbox};
  api_context_.answer_wait = std::chrono::milliseconds(0);
  api_context_.version = "1.2.3";
  store_ = value_of(open_store(url_, outbox));
  reopen();
}

Place::~Place() {
  if (relay_) relay_->stop(std::chrono::milliseconds(0));
}

Answer Place::call(const Call& call) {
  Answer answer = api_->handle(call);
  keep_for_others(call, answer);
  return answer;
}

Answer Place::get(const std::string& path, const std::string& query) {
  return call({.path = whole(path), .query = query});
}

Answer Place::post(const std::string& path, const std::string& body) {
  return call({.method = "POST",
               .path = whole(path),
               .content_type = "application/json",
               .body = body,
               .operator_name = "alice"});
}

Answer Place::put(const std::string& path, const std::string& body) {
  return call({.method = "PUT",
               .path = whole(path),
               .content_type = "application/json",
               .body = body,
               .operator_name = "alice"});
}

Answer Place::remove(const std::string& path) {
  return call({.method = "DELETE", .path = whole(path), .operator_name = "alice"});
}

Sequence Place::enqueue(const NewMessage& message) { return value_of(store_->enqueue({&message, 1})).front().sequence; }

void Place::turn(std::vector<Turn::Change> parked, const Position& position) {
  const auto taken = value_of(store_->take("owner", std::chrono::seconds(10), "owner"));
  value_of(store_->commit(
      {.owner = "owner", .after = taken.value().turn, .position = position, .parked = std::move(parked)}));
}

void Place::register_routing(const Routing& routing) {
  const auto taken = value_of(store_->take("owner", std::chrono::seconds(10), "owner"));
  Turn turn{.owner = "owner", .after = taken.value().turn, .position = taken->position};
  turn.routing = routing;
  value_of(store_->commit(turn));
}

void Place::start_relay() {
  api_context_.answer_wait = patience;
  reopen();
  relay_.emplace(value_of(Node::open(url_, {.relay = {.is_registry_in_store = true}})));
  relay_->start().value();
}

std::string at(const Answer& answer, const std::string& pointer) {
  const auto document = parsed(answer);
  const auto* value = rapidjson::Pointer(pointer.data(), pointer.size()).Get(document);
  return value == nullptr ? "missing" : json_of(*value);
}

std::string text_at(const Answer& answer, const std::string& pointer) {
  const auto document = parsed(answer);
  const auto* value = rapidjson::Pointer(pointer.data(), pointer.size()).Get(document);
  return value == nullptr || !value->IsString() ? "no text" : std::string(value->GetString(), value->GetStringLength());
}

std::int64_t number_at(const Answer& answer, const std::string& pointer) {
  const auto document = parsed(answer);
  const auto* value = rapidjson::Pointer(pointer.data(), pointer.size()).Get(document);
  return value == nullptr || !value->IsInt64() ? -1 : value->GetInt64();
}

std::size_t size_at(const Answer& answer, const std::string& pointer) {
  const auto document = parsed(answer);
  const auto* value = rapidjson::Pointer(pointer.data(), pointer.size()).Get(document);
  return value == nullptr || !value->IsArray() ? 0 : value->Size();
}

std::string detail(const Answer& answer) {
  if (answer.content_type != "application/problem+json") return "no problem: " + answer.body;
  return text_at(answer, "/detail");
}

bool eventually(const std::function<bool()>& is_so) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

}  // namespace makegood::api
