// The settings of a transport as a JSON object, by their description: texts, lists and maps of texts, words, numbers
// and durations (with `_ms` at the end of their names). What has its default is left out.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/described.hpp"
#include "base/json.hpp"
#include "makegood/clock.hpp"

namespace makegood::json {

/// What is wrong: the name of the setting, and what reads on from it ("is not a text").
using Complain = std::function<void(std::string_view name, std::string_view problem)>;

// False: it is not that.
bool read_text(const Value& value, std::string& text);
bool read_texts(const Value& value, std::vector<std::string>& texts);
/// Each name by itself; others stay.
bool read_map(const Value& value, std::map<std::string, std::string>& texts, std::string_view name,
              const Complain& complain);
std::size_t read_word(const Value& value, std::size_t absent, Words words, std::string_view name,
                      const Complain& complain);
/// A whole number within the limits; otherwise `absent`, and a complaint.
std::uint64_t read_number(const Value& value, std::uint64_t absent, const Limits& limits, std::string_view name,
                          const Complain& complain);
void write_texts(Writer& writer, std::string_view name, const std::vector<std::string>& texts);
void write_map(Writer& writer, std::string_view name, const std::map<std::string, std::string>& texts);

/// Names that are in the object and in no description are told when it is finished.
class SettingsFromJson {
 public:
  SettingsFromJson(const Value& object, const Complain& complain) : object_(object), complain_(complain) {}

  void operator()(std::string_view name, std::string& text, const About& /*about*/ = {}) {
    const Value* value = take(name);
    if (value != nullptr && !read_text(*value, text)) complain_(name, "is not a text");
  }
  void operator()(std::string_view name, std::vector<std::string>& texts, const About& /*about*/ = {}) {
    const Value* value = take(name);
    if (value != nullptr && !read_texts(*value, texts)) complain_(name, "is not a list of texts");
  }
  void operator()(std::string_view name, std::map<std::string, std::string>& texts, const About& /*about*/ = {}) {
    const Value* value = take(name);
    if (value != nullptr && !read_map(*value, texts, name, complain_)) complain_(name, "is not an object of texts");
  }
  void operator()(std::string_view name, std::uint64_t& number, const About& about) {
    const Value* value = take(name);
    if (value != nullptr) number = read_number(*value, number, about.limits, name, complain_);
  }
  void operator()(std::string_view name, Duration& duration, const About& about) {
    using std::chrono::milliseconds;
    auto count = static_cast<std::uint64_t>(duration / milliseconds(1));
    (*this)(std::string(name) + "_ms", count, about);
    duration = milliseconds(static_cast<std::int64_t>(count));
  }
  template <class Choice>
  void choice(std::string_view name, Choice& chosen, Words words, const About& /*about*/ = {}) {
    const Value* value = take(name);
    if (value == nullptr) return;
    chosen = static_cast<Choice>(read_word(*value, static_cast<std::size_t>(chosen), words, name, complain_));
  }

  void refuse_the_rest() const;

 private:
  const Value* take(std::string_view name);

  const Value& object_;
  const Complain& complain_;
  std::vector<std::string> known_ = {};
};

class SettingsToJson {
 public:
  explicit SettingsToJson(Writer& writer) : writer_(writer) {}

  void operator()(std::string_view name, const std::string& text, const About& /*about*/ = {}) {
    if (!text.empty()) write(writer_, name, std::string_view(text));
  }
  void operator()(std::string_view name, const std::vector<std::string>& texts, const About& /*about*/ = {}) {
    if (!texts.empty()) write_texts(writer_, name, texts);
  }
  void operator()(std::string_view name, const std::map<std::string, std::string>& texts, const About& /*about*/ = {}) {
    if (!texts.empty()) write_map(writer_, name, texts);
  }
  void operator()(std::string_view name, std::uint64_t number, const About& /*about*/) {
    write(writer_, name, static_cast<std::int64_t>(number));
  }
  void operator()(std::string_view name, Duration duration, const About& /*about*/) {
    write(writer_, std::string(name) + "_ms", static_cast<std::int64_t>(duration / std::chrono::milliseconds(1)));
  }
  /// The first word is the default.
  void choice(std::string_view name, auto chosen, Words words, const About& /*about*/ = {}) {
    if (static_cast<std::size_t>(chosen) != 0) write(writer_, name, words[static_cast<std::size_t>(chosen)]);
  }

 private:
  Writer& writer_;
};

}  // namespace makegood::json
