// A document that somebody has written, in YAML or JSON, with the place of each part of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "makegood/result.hpp"

namespace makegood::api {

/// Of a character; from 1. 0: not known.
struct TextPlace {
  int line = 0;
  int column = 0;
};

struct DocumentNode {
  enum class Kind { null, flag, number, text, list, map };
  Kind kind = Kind::null;
  std::string text = {};                    ///< Of a flag, a number (with its digits) or a text.
  std::vector<DocumentNode> items = {};     ///< Of a list or a map.
  std::vector<std::string> names = {};      ///< Of a map, for each item.
  std::vector<TextPlace> name_places = {};  ///< Likewise.
  TextPlace place = {};

  /// Of a map; null: there is none.
  const DocumentNode* find(std::string_view name) const;
};

/// Errc::invalid when it is not JSON or is nested too deeply. Places are not known.
Result<DocumentNode> node_from_json(std::string_view text);
std::string json_of(const DocumentNode& node);

struct DocumentMistake {
  std::string pointer;  ///< A JSON pointer: `/steps/1/compensation`; empty: the whole.
  TextPlace place = {};
  std::string problem;       ///< Reads on from the name of the field.
  std::string excerpt = {};  ///< Where the place is inside a text: its line, with a mark under it.
};
/// "/steps/1/action is missing".
std::string to_string(const DocumentMistake& mistake);

/// The members of a map, taken one by one; what nobody took is a mistake.
class NodeFields {
 public:
  NodeFields(const DocumentNode& map, std::string pointer, std::vector<DocumentMistake>& mistakes)
      : map_(map), pointer_(std::move(pointer)), mistakes_(mistakes) {}

  /// Null: it is not there, or is null. What is there twice is told.
  const DocumentNode* take(std::string_view name);
  /// It may be there, and somebody else reads it.
  void know(std::string_view name) { known_.emplace_back(name); }
  bool has(std::string_view name) const { return map_.find(name) != nullptr; }
  std::string pointer_to(std::string_view name) const;
  const std::string& pointer() const { return pointer_; }
  TextPlace place_of(std::string_view name) const;
  void mistake(std::string_view name, std::string problem);
  void refuse_the_rest();
  std::vector<DocumentMistake>& mistakes() { return mistakes_; }
  const DocumentNode& map() const { return map_; }

 private:
  const DocumentNode& map_;
  const std::string pointer_;
  std::vector<DocumentMistake>& mistakes_;
  std::vector<std::string> known_;
};

}  // namespace makegood::api
