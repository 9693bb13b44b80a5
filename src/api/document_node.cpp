#include "api/document_node.hpp"

#include <fmt/format.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include <algorithm>

#include "base/json_text.hpp"
#include "base/mistakes.hpp"
#include "base/nearest.hpp"

namespace makegood::api {
namespace {

using NodeKind = DocumentNode::Kind;
using rapidjson::SizeType;

/// RapidJSON tells what it reads; the open lists and maps are a stack.
class NodeBuilder {
 public:
  DocumentNode root = {};

  bool Null() { return add({.kind = NodeKind::null}); }
  bool Bool(bool flag) { return add({.kind = NodeKind::flag, .text = flag ? "true" : "false"}); }
  bool RawNumber(const char* digits, SizeType size, bool /*copy*/) {
    return add({.kind = NodeKind::number, .text = {digits, size}});
  }
  bool String(const char* text, SizeType size, bool /*copy*/) {
    return add({.kind = NodeKind::text, .text = {text, size}});
  }
  bool Key(const char* name, SizeType size, bool /*copy*/) {
    open_.back().names.emplace_back(name, size);
    open_.back().name_places.emplace_back();
    return true;
  }
  bool StartObject() { return begin(NodeKind::map); }
  bool StartArray() { return begin(NodeKind::list); }
  bool EndObject(SizeType /*count*/) { return end(); }
  bool EndArray(SizeType /*count*/) { return end(); }
  // Never called: numbers come as they are written.
  bool Int(int /*number*/) { return false; }
  bool Uint(unsigned /*number*/) { return false; }
  bool Int64(std::int64_t /*number*/) { return false; }
  bool Uint64(std::uint64_t /*number*/) { return false; }
  bool Double(double /*number*/) { return false; }

 private:
  bool add(DocumentNode node) {
    (open_.empty() ? root : open_.back().items.emplace_back()) = std::move(node);
    return true;
  }
  bool begin(NodeKind kind) { return open_.push_back({.kind = kind}), open_.size() <= json::depth_max; }
  bool end() {
    DocumentNode node = std::move(open_.back());
    open_.pop_back();
    return add(std::move(node));
  }

  std::vector<DocumentNode> open_;
};

void write_node(json::Writer& writer, const DocumentNode& node) {
  switch (node.kind) {
    case NodeKind::null:
      writer.Null();
      return;
    case NodeKind::flag:
      writer.Bool(node.text == "true");
      return;
    case NodeKind::number:
      writer.RawValue(node.text.data(), node.text.size(), rapidjson::kNumberType);
      return;
    case NodeKind::text:
      return json::write_text(writer, node.text);
    case NodeKind::list:
      writer.StartArray();
      for (const DocumentNode& item : node.items) write_node(writer, item);
      writer.EndArray();
      return;
    case NodeKind::map:
      writer.StartObject();
      for (std::size_t i = 0; i < node.items.size(); ++i) {
        json::write_name(writer, node.names[i]);
        write_node(writer, node.items[i]);
      }
      writer.EndObject();
      return;
  }
}

/// As RFC 6901 wants it.
std::string escaped(std::string_view name) {
  std::string text;
  for (const char letter : name) {
    if (letter == '~' || letter == '/') {
      text += letter == '~' ? "~0" : "~1";
    } else {
      text += letter;
    }
  }
  return text;
}

}  // namespace

const DocumentNode* DocumentNode::find(std::string_view name) const {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? nullptr : &items[static_cast<std::size_t>(found - names.begin())];
}

Result<DocumentNode> node_from_json(std::string_view text) {
  NodeBuilder builder;
  rapidjson::MemoryStream stream(text.data(), text.size());
  rapidjson::Reader reader;
  constexpr unsigned flags = rapidjson::kParseNumbersAsStringsFlag | rapidjson::kParseValidateEncodingFlag;
  const rapidjson::ParseResult parsed = reader.Parse<flags>(stream, builder);
  // A NUL byte looks like the end to the reader.
  if (!parsed.IsError() && stream.Tell() == text.size()) return std::move(builder.root);
  return Error{Errc::invalid, fmt::format("The document is not JSON, or is nested deeper than {} levels (byte {}).",
                                          json::depth_max, stream.Tell())};
}

std::string json_of(const DocumentNode& node) {
  rapidjson::StringBuffer buffer;
  json::Writer writer(buffer);
  write_node(writer, node);
  return {buffer.GetString(), buffer.GetSize()};
}

std::string to_string(const DocumentMistake& mistake) {
  return fmt::format("{} {}", mistake.pointer.empty() ? "it" : mistake.pointer, mistake.problem);
}

const DocumentNode* NodeFields::take(std::string_view name) {
  if (std::ranges::find(known_, name) == known_.end()) known_.emplace_back(name);
  if (std::ranges::count(map_.names, name) > 1) mistake(name, "is there twice; keep one of them");
  const DocumentNode* found = map_.find(name);
  return found == nullptr || found->kind == NodeKind::null ? nullptr : found;
}

std::string NodeFields::pointer_to(std::string_view name) const {
  return name.empty() ? pointer_ : fmt::format("{}/{}", pointer_, escaped(name));
}

TextPlace NodeFields::place_of(std::string_view name) const {
  const auto found = std::ranges::find(map_.names, name);
  return found == map_.names.end() ? map_.place
                                   : map_.name_places[static_cast<std::size_t>(found - map_.names.begin())];
}

void NodeFields::mistake(std::string_view name, std::string problem) {
  mistakes_.push_back({pointer_to(name), place_of(name), std::move(problem)});
}

void NodeFields::refuse_the_rest() {
  for (const std::string& name : map_.names) {
    if (std::ranges::find(known_, name) != known_.end()) continue;
    const std::string meant = nearest(name, known_);
    mistake(name, meant.empty() ? fmt::format("is not known here; allowed: {}", fmt::join(known_, ", "))
                                : fmt::format("is not known here; is it {}?", meant));
  }
}

}  // namespace makegood::api
