// What an object has in it, found out by running the code that reads or writes it over nothing: each field that is
// asked for is put down here, with its rules. So what a call may say is described in one place, its reader.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace makegood::api {

/// A JSON object, member by member; mostly a JSON Schema.
class JsonObject {
 public:
  JsonObject() = default;
  explicit JsonObject(std::string_view type) { text("type", type); }

  JsonObject& json(std::string_view name, std::string_view value);
  JsonObject& number(std::string_view name, double value);
  JsonObject& number(std::string_view name, std::int64_t value);
  JsonObject& text(std::string_view name, std::string_view value);
  JsonObject& texts(std::string_view name, std::span<const std::string_view> values);
  /// `description`, unless it is empty.
  JsonObject& says(std::string_view sentence);
  bool empty() const { return members_.empty(); }
  std::string str() const { return "{" + members_ + "}"; }

 private:
  std::string members_ = {};
};

using Schema = JsonObject;
/// Of an object that has a name of its own.
Schema named_schema(std::string_view name);
std::string quoted(std::string_view text);
/// `["a","b"]` of what is JSON already.
std::string json_list(std::span<const std::string> json);

/// The schemas of objects that have a name, in JSON.
using Schemas = std::map<std::string, std::string, std::less<>>;

struct Sketch {
  struct Member {
    std::string name;
    Schema schema;
    std::string says;
    bool is_required = false;
  };

  explicit Sketch(Schemas& others) : named(others) {}
  void add(std::string_view name, Schema schema, std::string_view sentence, bool is_required = false);
  void require(std::string_view name);
  /// Of the object as a whole, which has these members and no others.
  Schema schema() const;

  Schemas& named;  ///< Where objects inside of this one go, by their names.
  std::vector<Member> members = {};
  std::vector<std::string> one_of = {};  ///< Exactly one of them.
  std::string says = {};
};

}  // namespace makegood::api
