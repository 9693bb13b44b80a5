#include "tests/zoo/zoo.hpp"

#include <stdexcept>
#include <thread>

#include "base/json.hpp"
#include "tests/zoo/control.hpp"

namespace makegood::testing_support {
namespace {

constexpr std::chrono::seconds ready_max{30};
constexpr std::chrono::milliseconds ask_again_after{5};

rapidjson::Document parsed(const std::string& text) {
  rapidjson::Document document;
  document.Parse(text.c_str(), text.size());
  if (document.HasParseError() || !document.IsObject()) throw std::runtime_error("the zoo says: " + text);
  return document;
}

std::map<std::string, std::string> texts_of(const json::Value& object) {
  std::map<std::string, std::string> texts;
  for (const auto& member : object.GetObject()) texts[json::text_of(member.name)] = json::text_of(member.value);
  return texts;
}

Visit visit_of(const json::Value& request) {
  return {.method = json::text_of(request["method"]),
          .path = json::text_of(request["path"]),
          .headers = texts_of(request["headers"]),
          .body = json::text_of(request["body"]),
          .body_bytes = request["body_bytes"].GetUint64(),
          .body_sha256 = json::text_of(request["body_sha256"]),
          .connection = request["connection"].GetUint64()};
}

}  // namespace

Zoo::Zoo() : process_(MAKEGOOD_ZOO_PROGRAM) {
  const auto told = parsed(process_.first_line(ready_max));
  control_ = json::text_of(told["control"]);
  files_ = texts_of(told["files"]);
  for (const auto& animal : told["animals"].GetObject()) {
    urls_[json::text_of(animal.name)] = json::text_of(animal.value["url"]);
  }
}

std::vector<std::string> Zoo::animals() const {
  std::vector<std::string> names;
  for (const auto& [name, url] : urls_) names.push_back(name);
  return names;
}

const std::string& Zoo::url(const std::string& animal) const {
  const auto found = urls_.find(animal);
  if (found == urls_.end()) throw std::out_of_range("the zoo has no " + animal);
  return found->second;
}

const std::string& Zoo::file(const std::string& name) const { return files_.at(name); }

Visits Zoo::visits(const std::string& animal) const {
  const auto told = parsed(ask_control(control_, "GET", "/visits/" + animal));
  Visits visits{.connections = told["connections"].GetUint64(), .count = told["count"].GetUint64()};
  for (const auto& request : told["requests"].GetArray()) visits.requests.push_back(visit_of(request));
  for (const auto& effect : told["effects"].GetObject()) {
    visits.effects[json::text_of(effect.name)] = effect.value.GetUint64();
  }
  return visits;
}

bool Zoo::await_visits(const std::string& animal, std::size_t count, std::chrono::milliseconds limit) const {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (visits(animal).count < count) {
    if (std::chrono::steady_clock::now() >= end) return false;
    std::this_thread::sleep_for(ask_again_after);
  }
  return true;
}

void Zoo::reset() { ask_control(control_, "POST", "/reset"); }

}  // namespace makegood::testing_support
