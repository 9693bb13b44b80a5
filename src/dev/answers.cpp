#include "dev/answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/json.hpp"
#include "base/nearest.hpp"

namespace makegood::dev {
namespace {

/// The oldest are forgotten.
constexpr std::size_t calls_max = 10'000;

Error mistake(std::string what) { return {Errc::invalid, std::move(what)}; }

std::string json_text_of(const json::Value& value) {
  rapidjson::StringBuffer buffer;
  json::Writer writer(buffer);
  value.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

Result<std::int64_t> number_at(const json::Value& object, const char* name, std::int64_t otherwise, std::int64_t max) {
  const json::Value* value = json::member(object, name);
  if (value == nullptr) return otherwise;
  if (value->IsInt64() && value->GetInt64() >= 0 && value->GetInt64() <= max) return value->GetInt64();
  return mistake(fmt::format("{} is not a whole number from 0 to {}.", name, max));
}

Result<bool> flag_at(const json::Value& object, const char* name, bool otherwise) {
  const json::Value* value = json::member(object, name);
  if (value == nullptr) return otherwise;
  if (value->IsBool()) return value->GetBool();
  return mistake(fmt::format("{} is neither true nor false.", name));
}

Result<> check_names(const json::Value& object) {
  const std::array<std::string, 9> known = {
      "status", "body", "times", "hang", "drop", "effect", "callback", "callback_after_ms", "content_type"};
  for (const auto& member : object.GetObject()) {
    const std::string name = json::text_of(member.name);
    if (std::ranges::find(known, name) != known.end()) continue;
    const std::string meant = nearest(name, known);
    return mistake(meant.empty() ? fmt::format("An answer has no '{}'; it has {}.", name, fmt::join(known, ", "))
                                 : fmt::format("An answer has no '{}'; is it {}?", name, meant));
  }
  return {};
}

Result<Programmed> read_answer(const json::Value& object) {
  if (!object.IsObject()) return mistake("An answer is not an object.");
  MAKEGOOD_TRY(check_names(object));
  Programmed one;
  one.answer.status = static_cast<int>(MAKEGOOD_TRY(number_at(object, "status", 200, 599)));
  if (one.answer.status < 200) return mistake("status is below 200.");
  one.times = static_cast<std::uint32_t>(MAKEGOOD_TRY(number_at(object, "times", 1, 1'000'000)));
  one.answer.is_silent = MAKEGOOD_TRY(flag_at(object, "hang", false));
  one.answer.is_dropped = MAKEGOOD_TRY(flag_at(object, "drop", false));
  const bool is_good = one.answer.status / 100 == 2 && !one.answer.is_silent && !one.answer.is_dropped;
  one.has_effect = MAKEGOOD_TRY(flag_at(object, "effect", is_good));
  one.callback_after = std::chrono::milliseconds(MAKEGOOD_TRY(number_at(object, "callback_after_ms", 0, 3'600'000)));
  if (const json::Value* body = json::member(object, "body")) one.answer.body = json_text_of(*body);
  if (const json::Value* callback = json::member(object, "callback")) one.callback = json_text_of(*callback);
  const json::Value* type = json::member(object, "content_type");
  if (type != nullptr && type->IsString()) one.answer.content_type = json::text_of(*type);
  return one;
}

bool is_below(std::string_view path, std::string_view folder) {
  if (!path.starts_with(folder)) return false;
  return folder.ends_with('/') || path.size() == folder.size() || path[folder.size()] == '/';
}

}  // namespace

Result<Program> read_program(std::string_view text) {
  rapidjson::Document document;
  document.Parse(text.data(), text.size());
  if (document.HasParseError() || !document.IsObject()) return mistake("The body is not a JSON object.");
  const json::Value* path = json::member(document, "path");
  const json::Value* answers = json::member(document, "answers");
  if (path == nullptr || !path->IsString() || !json::text_of(*path).starts_with('/')) {
    return mistake("path is missing, or does not begin with /.");
  }
  if (answers == nullptr || !answers->IsArray() || answers->Empty())
    return mistake("answers is not a list of answers.");
  Program program{.path = json::text_of(*path)};
  for (const json::Value& one : answers->GetArray()) program.answers.push_back(MAKEGOOD_TRY(read_answer(one)));
  return program;
}

void Answers::program(Program program) {
  const std::scoped_lock lock(mutex_);
  programs_[program.path] = {program.answers.begin(), program.answers.end()};
}

Programmed Answers::take(const Request& request) {
  const std::scoped_lock lock(mutex_);
  Programmed one;
  const auto found = programs_.find(request.path);
  if (found != programs_.end() && !found->second.empty()) {
    Programmed& next = found->second.front();
    one = next;
    if (next.times > 0 && --next.times == 0) found->second.pop_front();
  }
  const bool is_answered = !one.answer.is_silent && !one.answer.is_dropped;
  calls_.push_back({request, is_answered ? one.answer.status : 0, one.has_effect});
  if (calls_.size() > calls_max) calls_.erase(calls_.begin());
  return one;
}

std::vector<Captured> Answers::calls(std::string_view path) const {
  const std::scoped_lock lock(mutex_);
  std::vector<Captured> wanted;
  for (const Captured& call : calls_) {
    if (path.empty() || is_below(call.request.path, path)) wanted.push_back(call);
  }
  return wanted;
}

void Answers::forget_calls() {
  const std::scoped_lock lock(mutex_);
  calls_.clear();
}

void Answers::reset() {
  const std::scoped_lock lock(mutex_);
  calls_.clear();
  programs_.clear();
}

}  // namespace makegood::dev
