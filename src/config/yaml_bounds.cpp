#include "config/yaml_bounds.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

namespace makegood::config {
namespace {

constexpr std::size_t depth_max = 64;
constexpr std::size_t nodes_max = 1'000'000;
constexpr std::size_t bytes_max = std::size_t{64} << 20;

/// Of a node, with all that is in it and all that its aliases stand for.
struct Weight {
  std::size_t nodes = 0;
  std::size_t bytes = 0;
  std::size_t height = 0;
};

/// Weighs a text as it is read, and throws a YamlExcess as soon as it is too much.
class Scales final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override { named_.clear(); }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add(mark, {.nodes = 1}, anchor); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, const std::string& value) override {
    add(mark, {.nodes = 1, .bytes = value.size()}, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto named = named_.find(anchor);
    if (named == named_.end()) refuse(mark, "is an alias of what it stands in", "write it out");
    add(mark, named->second, YAML::NullAnchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    begin(mark, anchor);
  }
  void OnSequenceEnd() override { end(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    begin(mark, anchor);
  }
  void OnMapEnd() override { end(); }

 private:
  struct Open {
    YAML::anchor_t anchor;
    Weight weight;
  };

  [[noreturn]] static void refuse(const YAML::Mark& mark, std::string problem, std::string advice) {
    throw YamlExcess{mark.is_null() ? 0 : mark.line + 1, std::move(problem), std::move(advice)};
  }

  void begin(const YAML::Mark& mark, YAML::anchor_t anchor) {
    open_.push_back({anchor, {.nodes = 1}});
    check(mark, {.nodes = 1});
  }

  void end() {
    const Open ended = open_.back();
    open_.pop_back();
    note(ended.anchor, ended.weight);
    put_into_parent(ended.weight);
  }

  void add(const YAML::Mark& mark, const Weight& weight, YAML::anchor_t anchor) {
    check(mark, weight);
    note(anchor, weight);
    put_into_parent(weight);
  }

  void note(YAML::anchor_t anchor, const Weight& weight) {
    if (anchor != YAML::NullAnchor) named_[anchor] = weight;
  }

  void put_into_parent(const Weight& weight) {
    if (open_.empty()) return;
    Weight& parent = open_.back().weight;
    parent.nodes += weight.nodes;
    parent.bytes += weight.bytes;
    parent.height = std::max(parent.height, weight.height + 1);
  }

  void check(const YAML::Mark& mark, const Weight& added) {
    total_.nodes += added.nodes;
    total_.bytes += added.bytes;
    if (open_.size() + added.height > depth_max) {
      refuse(mark, fmt::format("is nested deeper than {} levels", depth_max), "write it flatter");
    }
    if (total_.nodes > nodes_max || total_.bytes > bytes_max) {
      refuse(mark,
             fmt::format("is too large: with its aliases written out, above {} values or {} MiB", nodes_max,
                         bytes_max >> 20),
             "use several files, and fewer aliases");
    }
  }

  std::vector<Open> open_;
  std::map<YAML::anchor_t, Weight> named_;
  Weight total_;
};

}  // namespace

std::optional<YamlExcess> yaml_excess(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  Scales scales;
  try {
    while (parser.HandleNextDocument(scales)) {
    }
  } catch (const YamlExcess& excess) {
    return excess;
  }
  return std::nullopt;
}

}  // namespace makegood::config
