// The definition of a saga as people write it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/document_node.hpp"
#include "makegood/saga_definition.hpp"

namespace makegood::api {

struct SagaDocument {
  SagaDefinition definition = {};
  std::vector<DocumentMistake> mistakes = {};  ///< All of them, in the order of the document; none: it is good.
};

/// Read and checked. `pointer`: where the document stands, for mistakes.
SagaDocument read_saga(const DocumentNode& document, const std::string& pointer = {});
/// The same, where nobody can be shown a place: Errc::invalid tells all mistakes, by their JSON pointers.
Result<SagaDefinition> saga_from(const DocumentNode& document);
Result<SagaDefinition> saga_from_json(std::string_view text);

/// A field of a document that is a short form of others, and so is not in the description of the struct.
struct ShortForm {
  std::string_view name;
  std::string_view form;
  std::string_view says;
};
inline constexpr ShortForm input_form{"input", "JSON with `${…}`",
                                      "The body of the action; the execution's input if it is left out."};
inline constexpr ShortForm idempotent_form{"idempotent", "true or false", "`false` is short for `participant: plain`."};
inline constexpr ShortForm tag_form{"concurrency_tag", "a text",
                                    "Neighbouring steps with the same tag run in parallel."};
inline constexpr ShortForm parallel_form{
    "parallel", "a list of steps", "Alone in its item of `steps`: these run in parallel, and do not see each other."};
inline constexpr ShortForm version_form{
    "version", "a number",
    "Counted by `apply`; where it is written, it must be the next one, or the newest with nothing changed."};
inline constexpr ShortForm active_form{"active_timeout", "a duration", "Another name of `timeout`."};

}  // namespace makegood::api
