// Definitions of sagas: put, shown, listed. A version is never changed, so putting the same one again is nothing new.
#include <fmt/format.h>

#include <array>
#include <limits>

#include "api/document_node.hpp"
#include "api/operation.hpp"
#include "api/saga_carriers.hpp"
#include "api/saga_document.hpp"
#include "base/mistakes.hpp"
#include "base/nearest.hpp"
#include "base/saga_check.hpp"
#include "base/saga_children.hpp"
#include "base/saga_json.hpp"
#include "base/saga_versions.hpp"
#include "makegood/spi/saga_store.hpp"

namespace makegood::api {
namespace {

constexpr IntegerRange version_range{1, std::numeric_limits<std::int64_t>::max()};

enum class DefinitionChange { none, added, new_version };
std::string_view to_string(DefinitionChange change) {
  constexpr std::array<std::string_view, 3> words = {"none", "added", "new_version"};
  return words[static_cast<std::size_t>(change)];
}

struct PutDefinition {
  std::string name = {};
  std::int64_t version = 0;
  DefinitionChange change = DefinitionChange::none;
};
void put_definition_answer(Writer& writer, const PutDefinition& definition) {
  put(writer, "name", definition.name);
  put(writer, "version", definition.version, "The one that has this document, or would have it.");
  put_word(writer, "change", definition.change, DefinitionChange::new_version,
           "`none`: the newest version says the same.");
}

struct DefinitionView {
  SagaDefinitionRow row = {};
  std::vector<SagaStep> steps = {};
};
void put_definition_head(Writer& writer, const DefinitionView& view) {
  put(writer, "name", view.row.name);
  put(writer, "version", view.row.version);
  put(writer, "created_at", view.row.created_at);
  put(writer, "step_count", view.steps.size());
}
void put_step_line(Writer& writer, const SagaStep& step) {
  put(writer, "name", step.name);
  put(writer, "group", step.group, "Steps of one group run in parallel.");
  put(writer, "action", step.action.uri);
  put_or_null(writer, "compensation", step.compensation ? step.compensation->uri : std::string());
  put(writer, "has_no_effect", step.has_no_effect);
  put(writer, "is_pivot", step.is_pivot);
}
void put_definition_view(Writer& writer, const DefinitionView& view) {
  put_definition_head(writer, view);
  put_objects(writer, "steps", "SagaStepLine", view.steps, put_step_line);
  const bool is_object = view.row.source.starts_with('{') && is_json(view.row.source);
  put_json(writer, "document", is_object ? std::string_view(view.row.source) : "{}", Schema("object"),
           "As it was put; docs/reference/saga.schema.json describes it.");
}
void put_definition_list(Writer& writer, const std::vector<DefinitionView>& views) {
  put_list(writer, "SagaDefinitionLine", views, put_definition_head);
}

Result<DefinitionView> view_of(SagaDefinitionRow row) {
  DefinitionView view;
  view.steps = MAKEGOOD_TRY(decode_saga_definition(row.document)).steps;
  view.row = std::move(row);
  return view;
}

const std::string& name_in(const RoutedCall& routed) { return routed.path.at("definition"); }

Result<Answer> list_definitions(const RoutedCall& routed) {
  SagaView& sagas = *MAKEGOOD_TRY(routed.connections.sagas());
  std::vector<DefinitionView> views;
  for (SagaDefinitionRow& row : MAKEGOOD_TRY(sagas.definitions())) {
    views.push_back(MAKEGOOD_TRY(view_of(std::move(row))));
  }
  return answer_of(views, put_definition_list);
}

Error no_such_definition(const std::string& name, std::int64_t version, const std::vector<SagaDefinitionRow>& known) {
  std::vector<std::string> names;
  names.reserve(known.size());
  for (const SagaDefinitionRow& row : known) names.push_back(row.name);
  const std::string meant = nearest(name, names);
  const std::string of_version = version == 0 ? "" : fmt::format(" in version {}", version);
  const std::string hint = meant.empty() || meant == name ? "" : fmt::format(" Is it {}?", meant);
  return {Errc::not_found, fmt::format("There is no saga '{}'{}.{}", shown(name), of_version, hint)};
}

std::int64_t version_query(Fields& query) {
  return query.integer("version", version_range, "The newest if it is left out.").value_or(0);
}

Result<Answer> show_definition(const RoutedCall& routed) {
  const std::int64_t version = MAKEGOOD_TRY(read_query(routed.call, version_query));
  SagaView& sagas = *MAKEGOOD_TRY(routed.connections.sagas());
  auto row = MAKEGOOD_TRY(sagas.definition(name_in(routed), version));
  if (!row) return no_such_definition(name_in(routed), version, MAKEGOOD_TRY(sagas.definitions()));
  return answer_of(MAKEGOOD_TRY(view_of(*std::move(row))), put_definition_view);
}

Result<Answer> list_versions_of_saga(const RoutedCall& routed) {
  SagaView& sagas = *MAKEGOOD_TRY(routed.connections.sagas());
  std::vector<DefinitionView> views;
  for (SagaDefinitionRow& row : MAKEGOOD_TRY(sagas.versions(name_in(routed)))) {
    views.push_back(MAKEGOOD_TRY(view_of(std::move(row))));
  }
  if (views.empty()) return no_such_definition(name_in(routed), 0, MAKEGOOD_TRY(sagas.definitions()));
  return answer_of(views, put_definition_list);
}

bool dry_query(Fields& query) { return query.flag("dry_run", "Tell what would change, and change nothing."); }

void describe_saga_body(Fields& body) {
  body.text("name", {.says = "In the path it is enough."});
  body.integer("version", version_range, "The next one; counted if it is left out.");
  constexpr std::string_view other = "docs/reference/sagas.md describes it.";
  for (const std::string_view name :
       {"chain", "deadline", "timeout", "active_timeout", "give_up_after", "compensate", "output", "on_end"}) {
    body.any(name, other);
  }
  body.require("steps");
  body.any("steps", "A list; docs/reference/saga.schema.json describes a step.");
}

/// The document with the name that the path has, if it says none.
Result<DocumentNode> named_document(const Call& call, const std::string& name) {
  if (call.body.size() > saga_bytes_max) {
    return Error{Errc::payload_too_large, "The document is larger than 64 KiB; a saga that large is several."};
  }
  DocumentNode document = MAKEGOOD_TRY(node_from_json(call.body));
  if (document.kind != DocumentNode::Kind::map || document.find("name") != nullptr) return document;
  name_document(document, name);
  return document;
}

Result<SagaDefinition> definition_in(const DocumentNode& document, const std::string& name) {
  SagaDefinition definition = MAKEGOOD_TRY(saga_from(document));
  if (definition.name == name) return definition;
  return Error{Errc::invalid, fmt::format("The document has 1 mistake: /name is {}; the path says {}.",
                                          shown(definition.name), shown(name))};
}

Result<PutDefinition> what_would_change(SagaView& sagas, const SagaDefinitionRow& row) {
  const auto newest = MAKEGOOD_TRY(sagas.definition(row.name, 0));
  const auto there = row.version == 0 ? newest : MAKEGOOD_TRY(sagas.definition(row.name, row.version));
  const DefinitionPlace place = MAKEGOOD_TRY(place_definition(row, newest, there));
  const DefinitionChange change = newest ? DefinitionChange::new_version : DefinitionChange::added;
  return PutDefinition{row.name, place.version, place.is_new ? change : DefinitionChange::none};
}

/// Where there are no tables yet, it would be the first; they are not made for a question.
Result<PutDefinition> dry_run(const RoutedCall& routed, const SagaDefinitionRow& row) {
  const auto sagas = routed.connections.sagas();
  if (sagas) return what_would_change(**sagas, row);
  if (sagas.error().code != Errc::schema_mismatch) return sagas.error();
  const DefinitionPlace place = MAKEGOOD_TRY(place_definition(row, std::nullopt, std::nullopt));
  return PutDefinition{row.name, place.version, DefinitionChange::added};
}

Result<Answer> put_saga_definition(const RoutedCall& routed) {
  const bool is_dry = MAKEGOOD_TRY(read_query(routed.call, dry_query));
  const DocumentNode document = MAKEGOOD_TRY(named_document(routed.call, name_in(routed)));
  const SagaDefinition definition = MAKEGOOD_TRY(definition_in(document, name_in(routed)));
  const SagaDefinitionRow row{.name = definition.name,
                              .version = definition.version,
                              .document = encode(definition),
                              .source = json_of(document)};
  // A dry run may come before the destinations of the same file are registered.
  if (is_dry) return answer_of(MAKEGOOD_TRY(dry_run(routed, row)), put_definition_answer);
  MAKEGOOD_TRY(check_carriers(routed.connections, definition));
  SagaView& sagas = *MAKEGOOD_TRY(routed.connections.sagas_to_define());
  MAKEGOOD_TRY(check_children(sagas, definition));
  PutDefinition told = MAKEGOOD_TRY(what_would_change(sagas, row));
  told.version = MAKEGOOD_TRY(sagas.put_definition(row));
  routed.connections.sagas_changed();
  return answer_of(told, put_definition_answer);
}

constexpr auto about_sagas = std::to_array<Operation>({
    shows("list_saga_definitions", "/api/saga/definitions", "sagas", list_definitions,
          "The newest version of each saga",
          {200, "All of them; there is no second page.", "SagaDefinitionList", writes<put_definition_list>}),
    shows("show_saga_definition", "/api/saga/definitions/{definition}", "sagas", show_definition,
          "One saga, as it was put", {200, "With its document.", "SagaDefinition", writes<put_definition_view>},
          reads<version_query>),
    shows("list_saga_versions", "/api/saga/definitions/{definition}/versions", "sagas", list_versions_of_saga,
          "All versions of a saga",
          {200, "The newest first; there is no second page.", "SagaDefinitionList", writes<put_definition_list>}),
    {.id = "put_saga_definition",
     .method = "PUT",
     .path = "/api/saga/definitions/{definition}",
     .role = Role::operate,
     .handler = put_saga_definition,
     .tag = "sagas",
     .summary = "Define a saga, or a new version of it",
     .description =
         "A version is never changed: a document that says something else than the newest version is the "
         "next one.\nExecutions keep the version that they were started with. All mistakes are told at once, "
         "by JSON pointers.\n",
     .query = reads<dry_query>,
     .body = {"SagaDocument", describe_saga_body},
     .replies = {Reply{200, "`change` tells whether there is a new version.", "PutSagaDefinition",
                       writes<put_definition_answer>}},
     .also = {409, 500, 507}},
});

}  // namespace

Operations saga_definition_operations() { return about_sagas; }

}  // namespace makegood::api
