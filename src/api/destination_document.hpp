// A destination as people write it and see it: durations in milliseconds, what belongs to HTTP under `http`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/json_out.hpp"
#include "api/mistakes.hpp"
#include "makegood/destination.hpp"
#include "makegood/http.hpp"

namespace makegood::api {

struct DestinationRules {
  Destination defaults = {};  ///< What the document leaves out.
  HttpOptions http = {};      ///< What they would never let out is refused now, and not with each message.
};

/// `name`: as the path has it; empty: the document must tell. What is wrong is added to the mistakes, each with
/// `prefix` before it; then there is nothing.
std::optional<Destination> destination_from(std::string_view json, const std::string& name,
                                            const DestinationRules& rules, Mistakes& mistakes,
                                            const std::string& prefix = {});
/// Its members, without the braces around them. A secret is never in it, only where it is.
void put_document(Writer& writer, const Destination& destination);
std::string document_of(const Destination& destination);

}  // namespace makegood::api
