// The definition of a saga as people write it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/document_node.hpp"
#include "api/field_places.hpp"
#include "base/saga_lint.hpp"
#include "makegood/saga_definition.hpp"

namespace makegood::api {

struct SagaDocument {
  SagaDefinition definition = {};
  std::vector<DocumentMistake> mistakes = {};  ///< All of them, in the order of the document; none: it is good.
  FieldPlaces places = {};
};

/// Read and checked. `pointer`: where the document stands, for mistakes.
SagaDocument read_saga(const DocumentNode& document, const std::string& pointer = {});
/// The same, where nobody can be shown a place: Errc::invalid tells all mistakes, by their JSON pointers.
Result<SagaDefinition> saga_from(const DocumentNode& document);
Result<SagaDefinition> saga_from_json(std::string_view text);

/// Puts the name into a document that has none.
void name_document(DocumentNode& document, const std::string& name);

struct DocumentFinding {
  LintSeverity severity = LintSeverity::warning;
  std::string_view rule;
  DocumentMistake at;
};
/// What is allowed in a document without mistakes and is probably not meant, in the order of the document. `input` is
/// an example of what starts have, as JSON; empty: there is none.
std::vector<DocumentFinding> lint(const SagaDocument& document, std::string_view input = {});

/// A field of a document that is a short form of others, and so is not in the description of the struct.
struct ShortForm {
  std::string_view name;
  std::string_view form;
  std::string_view says;
};
inline constexpr ShortForm input_form{"input", "JSON with `${…}`",
                                      "The body of the action; the execution's input if it is left out."};
inline constexpr ShortForm idempotent_form{"idempotent", "true or false", "`false` is short for `participant: plain`."};
inline constexpr ShortForm wait_form{
    "wait", "a duration",
    "Instead of `action`: the step is done when this time is over, as in `{name: coolingOff, wait: 24h}`."};
inline constexpr ShortForm tag_form{"concurrency_tag", "a text",
                                    "Neighbouring steps with the same tag run in parallel."};
inline constexpr ShortForm parallel_form{
    "parallel", "a list of steps", "Alone in its item of `steps`: these run in parallel, and do not see each other."};
inline constexpr ShortForm version_form{
    "version", "a number",
    "Counted by `apply`; where it is written, it must be the next one, or the newest with nothing changed."};
inline constexpr ShortForm chain_form{
    "chain", "a text",
    "The order of the steps: `THEN(a, WHEN(b, c), IF(input.vip, d))`; see [Chains](#chains). `steps` then is what "
    "there is, in any order."};
inline constexpr ShortForm active_form{"active_timeout", "a duration", "Another name of `timeout`."};

}  // namespace makegood::api
