#include "api/saga_document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "api/saga_document_reader.hpp"
#include "base/conditions.hpp"
#include "base/nearest.hpp"
#include "base/saga_calls.hpp"
#include "base/saga_chain.hpp"
#include "base/saga_check.hpp"
#include "base/saga_children.hpp"

namespace makegood::api {
namespace {

using NodeKind = DocumentNode::Kind;

/// One of the two is the other, or is in it.
bool is_around(std::string_view left, std::string_view right) {
  const std::string_view outer = left.size() < right.size() ? left : right;
  const std::string_view inner = left.size() < right.size() ? right : left;
  return inner.starts_with(outer) && (inner.size() == outer.size() || inner[outer.size()] == '/');
}

/// Reads a document from its top: the saga, its steps, its groups.
class SagaDocumentParts {
 public:
  SagaDocument read(const DocumentNode& document, const std::string& pointer) {
    read_whole(document, pointer);
    if (document.kind == NodeKind::map) add_mistakes_of_check();
    return std::move(result_);
  }

 private:
  void read_whole(const DocumentNode& document, const std::string& pointer) {
    if (document.kind != NodeKind::map) {
      result_.mistakes.push_back({pointer, document.place, "is not a saga; write name: and steps:"});
      return;
    }
    NodeFields fields(document, pointer, result_.mistakes);
    SagaDocumentReader reader(fields, result_.places, std::nullopt);
    describe(result_.definition, reader);
    read_active_timeout(fields, reader);
    read_version(fields, reader);
    has_chain_ = fields.has(chain_form.name);
    read_steps(fields, reader);
    read_chain(fields, reader);
    fields.refuse_the_rest();
  }

  void read_active_timeout(NodeFields& fields, SagaDocumentReader& reader) {
    const bool has_both = fields.has("timeout") && fields.has(active_form.name);
    if (has_both) fields.mistake(active_form.name, "is another name of timeout; keep one of them");
    if (fields.has(active_form.name)) reader(active_form.name, result_.definition.timeout, {});
    fields.know(active_form.name);
  }

  void read_version(NodeFields& fields, SagaDocumentReader& reader) {
    const DocumentNode* node = reader.take(version_form.name);
    if (node == nullptr) return;
    const auto version = node->kind == NodeKind::number ? whole_number<std::int64_t>(node->text) : std::nullopt;
    if (!version || *version < 1) return fields.mistake(version_form.name, "is not 1, 2, 3 …");
    result_.definition.version = *version;
  }

  void read_steps(NodeFields& fields, SagaDocumentReader& reader) {
    const DocumentNode* list = reader.take("steps");
    if (list == nullptr) return fields.mistake("steps", "is missing; a saga needs one step at least");
    if (list->kind != NodeKind::list) return fields.mistake("steps", "is not a list");
    for (std::size_t i = 0; i < list->items.size(); ++i) {
      read_item(list->items[i], fmt::format("{}/{}", fields.pointer_to("steps"), i));
    }
  }

  // --- Chains ---

  void read_chain(NodeFields& fields, SagaDocumentReader& reader) {
    const DocumentNode* node = reader.take(chain_form.name);
    if (node == nullptr) return;
    if (node->kind != NodeKind::text) return fields.mistake(chain_form.name, "is not a text");
    Chain chain = makegood::read_chain(node->text);
    std::string& name = result_.definition.name;
    if (name.empty()) name = chain.name;
    if (!chain.name.empty() && chain.name != name) {
      fields.mistake(chain_form.name,
                     fmt::format("is the chain {}, and the saga is {}", shown(chain.name), shown(name)));
    }
    if (chain.mistakes.empty()) put_in_order(chain);
    for (const ChainMistake& mistake : chain.mistakes) {
      result_.mistakes.push_back({fields.pointer_to(chain_form.name), place_in(*node, mistake.offset), mistake.problem,
                                  chain_excerpt(node->text, mistake.offset)});
    }
  }

  /// A text of several lines begins below the name of its field.
  static TextPlace place_in(const DocumentNode& node, std::size_t offset) {
    TextPlace place = node.place;
    if (place.line == 0 || node.text.find('\n') == std::string::npos) return place;
    const auto end = node.text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, node.text.size()));
    place.line += 1 + static_cast<int>(std::count(node.text.begin(), end, '\n'));
    place.column = 0;
    return place;
  }

  void put_in_order(Chain& chain) {
    std::vector<SagaStep> ordered;
    std::vector<FieldPlaces::Step> moved(result_.definition.steps.size());
    for (const ChainStep& wanted : chain.steps) {
      auto& steps = result_.definition.steps;
      const auto found = std::ranges::find(steps, wanted.name, &SagaStep::name);
      if (found == steps.end()) {
        chain.mistakes.push_back({wanted.offset, no_such_step(wanted.name)});
        continue;
      }
      moved[static_cast<std::size_t>(found - steps.begin())] = ordered.size();
      ordered.push_back(*found);
      take_place(ordered.back(), wanted, chain);
    }
    refuse_what_is_left_out(moved);
    if (!chain.mistakes.empty() || ordered.size() < moved.size()) return;
    result_.definition.steps = std::move(ordered);
    result_.places.reorder(moved);
  }

  /// The step's own condition counts as well.
  static void take_place(SagaStep& step, const ChainStep& wanted, Chain& chain) {
    step.group = wanted.group;
    if (wanted.condition.empty()) return;
    const auto own = step.condition.empty() ? Result<Condition>(wanted.condition) : parse_condition(step.condition);
    if (!own) return;  // The check of its template tells.
    const auto all = step.condition.empty() ? std::optional(wanted.condition) : both(wanted.condition, *own);
    if (!all) return chain.mistakes.push_back({wanted.offset, "has too many conditions for " + wanted.name});
    step.condition = to_text(*all);
  }

  void refuse_what_is_left_out(const std::vector<FieldPlaces::Step>& moved) {
    for (std::size_t i = 0; i < moved.size(); ++i) {
      if (moved[i]) continue;
      const FieldPlaces::Spot spot = result_.places.find(i, "name");
      result_.mistakes.push_back({spot.pointer, spot.place, "is not in the chain; it would never be carried out"});
    }
  }

  std::string no_such_step(const std::string& name) const {
    std::vector<std::string> names;
    for (const SagaStep& step : result_.definition.steps) names.push_back(step.name);
    const std::string meant = nearest(name, names);
    return fmt::format("names {}, which is no step{}", shown(name),
                       meant.empty() ? "" : fmt::format("; is it {}?", meant));
  }

  void read_item(const DocumentNode& item, const std::string& pointer) {
    const bool has_order = item.find(parallel_form.name) != nullptr || item.find(tag_form.name) != nullptr;
    if (has_chain_ && has_order) return complain(pointer, item, "says what runs in parallel, and so does the chain");
    if (item.kind != NodeKind::map) return complain(pointer, item, "is not a step; write name: and action:");
    if (item.find(parallel_form.name) != nullptr) return read_group(item, pointer);
    const DocumentNode* tag = item.find(tag_form.name);
    const std::string tagged = tag != nullptr && tag->kind == NodeKind::text ? tag->text : std::string();
    const bool goes_on = !tagged.empty() && tagged == last_tag_;
    if (!goes_on) ++group_;
    last_tag_ = tagged;
    read_step(item, pointer, true);
  }

  void read_group(const DocumentNode& item, const std::string& pointer) {
    NodeFields fields(item, pointer, result_.mistakes);
    const DocumentNode* steps = fields.take(parallel_form.name);
    fields.refuse_the_rest();
    last_tag_.clear();
    ++group_;
    if (steps == nullptr || steps->kind != NodeKind::list || steps->items.empty()) {
      return fields.mistake(parallel_form.name, "is not a list of steps");
    }
    for (std::size_t i = 0; i < steps->items.size(); ++i) {
      const DocumentNode& step = steps->items[i];
      const std::string at = fmt::format("{}/{}", fields.pointer_to(parallel_form.name), i);
      if (step.kind == NodeKind::map && step.find(parallel_form.name) == nullptr) {
        read_step(step, at, false);
      } else {
        complain(at, step, "is not a step; a parallel group has steps only");
      }
    }
  }

  void read_step(const DocumentNode& item, const std::string& pointer, bool may_be_tagged) {
    const std::size_t index = result_.definition.steps.size();
    SagaStep& step = result_.definition.steps.emplace_back();
    step.group = group_ - 1;
    NodeFields fields(item, pointer, result_.mistakes);
    SagaDocumentReader reader(fields, result_.places, index);
    describe(step, reader);
    read_input(fields, reader, step);
    read_idempotent(fields, reader, step);
    read_wait(fields, reader, step);
    read_waiting(fields, step);
    read_child(fields, step);
    std::string ignored;
    if (may_be_tagged) reader(tag_form.name, ignored, {});
    fields.refuse_the_rest();
  }

  static void read_input(NodeFields& fields, SagaDocumentReader& reader, SagaStep& step) {
    const bool has_both = fields.has(input_form.name) && !step.action.input.empty();
    if (has_both) fields.mistake(input_form.name, "is in the action too; keep one of them");
    reader.json(input_form.name, step.action.input, {});
    if (fields.has(input_form.name)) reader.stands_at("action.input", input_form.name);
  }

  static void read_wait(NodeFields& fields, SagaDocumentReader& reader, SagaStep& step) {
    const DocumentNode* node = reader.take(wait_form.name);
    if (node == nullptr) return;
    if (fields.has("action")) return fields.mistake(wait_form.name, "stands beside action; a step does one of the two");
    reader.stands_at("action", wait_form.name);
    step.action.uri = std::string(wait_scheme) + node->text;
  }

  /// An event is waited for until somebody says how long.
  static void read_waiting(NodeFields& fields, SagaStep& step) {
    if (!is_waiting(step.action.uri)) return;
    if (!fields.has("effect")) step.has_no_effect = true;
    if (!fields.has("timeout")) step.timeout = Duration::zero();
    constexpr auto of_calls =
        std::to_array<std::string_view>({"retry", "participant", idempotent_form.name, "compensation_timeout"});
    for (const std::string_view name : of_calls) {
      if (fields.has(name)) fields.mistake(name, "says nothing here: the step calls nobody; leave it out");
    }
    const bool is_wait = saga_call_kind(step.action.uri) == SagaCallKind::wait;
    if (is_wait && fields.has("timeout")) fields.mistake("timeout", "says nothing here: a wait ends by itself");
  }

  static void read_child(NodeFields& fields, SagaStep& step) {
    if (saga_call_kind(step.action.uri) != SagaCallKind::child) return;
    const bool is_undone_otherwise = step.compensation.has_value();
    for (const std::string_view name : {"timeout", "participant", "compensation_timeout"}) {
      if (name == "compensation_timeout" && is_undone_otherwise) continue;
      if (fields.has(name)) fields.mistake(name, "says nothing here: a saga has times and promises of its own");
    }
    if (fields.has(idempotent_form.name)) fields.mistake(idempotent_form.name, "says nothing here: leave it out");
    settle_child(step);
  }

  static void read_idempotent(NodeFields& fields, SagaDocumentReader& reader, SagaStep& step) {
    bool is_idempotent = true;
    reader(idempotent_form.name, is_idempotent, {});
    if (is_idempotent) return;
    if (fields.has("participant") && step.participant != SagaPromise::plain) {
      fields.mistake(idempotent_form.name, fmt::format("is false, and participant is {}", to_string(step.participant)));
    }
    step.participant = SagaPromise::plain;
  }

  /// What could not be read was left at its default: a check of that would tell of what nobody wrote.
  void add_mistakes_of_check() {
    const std::vector<DocumentMistake> of_reading = result_.mistakes;
    for (SagaMistake& mistake : mistakes_in(result_.definition)) {
      const FieldPlaces::Spot spot = result_.places.find(mistake.step, mistake.field);
      const auto is_about = [&](const DocumentMistake& other) { return is_around(spot.pointer, other.pointer); };
      if (std::ranges::any_of(of_reading, is_about)) continue;
      result_.mistakes.push_back({spot.pointer, spot.place, std::move(mistake.problem)});
    }
  }

  void complain(const std::string& pointer, const DocumentNode& node, std::string problem) {
    result_.mistakes.push_back({pointer, node.place, std::move(problem)});
  }

  SagaDocument result_;
  std::size_t group_ = 0;
  std::string last_tag_;
  bool has_chain_ = false;
};

std::pair<int, int> order_of(const DocumentMistake& mistake) { return {mistake.place.line, mistake.place.column}; }

}  // namespace

void name_document(DocumentNode& document, const std::string& name) {
  document.names.insert(document.names.begin(), "name");
  document.name_places.insert(document.name_places.begin(), TextPlace{});
  document.items.insert(document.items.begin(), {.kind = DocumentNode::Kind::text, .text = name});
}

SagaDocument read_saga(const DocumentNode& document, const std::string& pointer) {
  SagaDocument read = SagaDocumentParts().read(document, pointer);
  if (json_of(document).size() > saga_bytes_max) {
    read.mistakes.push_back({pointer, document.place, "is larger than 64 KiB; a saga that large is several"});
  }
  std::ranges::stable_sort(read.mistakes, {}, order_of);
  return read;
}

std::vector<DocumentFinding> lint(const SagaDocument& document, std::string_view input) {
  if (!document.mistakes.empty()) return {};
  std::vector<SagaFinding> found = lint(document.definition);
  std::ranges::move(lint_input(document.definition, input), std::back_inserter(found));
  std::vector<DocumentFinding> findings;
  for (SagaFinding& one : found) {
    FieldPlaces::Spot spot = document.places.find(one.where.step, one.where.field);
    findings.push_back({one.severity, one.rule, {std::move(spot.pointer), spot.place, std::move(one.where.problem)}});
  }
  std::ranges::stable_sort(findings, {}, [](const DocumentFinding& finding) { return order_of(finding.at); });
  return findings;
}

Result<SagaDefinition> saga_from(const DocumentNode& document) {
  SagaDocument read = read_saga(document);
  if (read.mistakes.empty()) return std::move(read.definition);
  Mistakes mistakes;
  for (const DocumentMistake& mistake : read.mistakes) {
    mistakes.add(mistake.pointer.empty() ? "it" : mistake.pointer, mistake.problem);
  }
  return mistakes.as_error("The document");
}

Result<SagaDefinition> saga_from_json(std::string_view text) { return saga_from(MAKEGOOD_TRY(node_from_json(text))); }

}  // namespace makegood::api
