// A destination as people write it and see it: durations in milliseconds, what belongs to its transport under the name
// of that.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/fields.hpp"
#include "api/json_out.hpp"
#include "base/transports.hpp"
#include "makegood/destination.hpp"
#include "makegood/spi/routing.hpp"

namespace makegood::api {

struct DestinationRules {
  Destination defaults = {};  ///< What the document leaves out.
  /// What they would never let out is refused now, and not with each message.
  std::shared_ptr<Transports> transports = usual_transports();
  /// What is registered: a document changes it, and what it leaves out stays. Null: each document is the whole.
  const Routing* present = nullptr;
};

/// `name`: as the path has it; empty: the document must tell. Nothing when it has mistakes.
std::optional<Destination> destination_from(Fields& fields, const std::string& name, const DestinationRules& rules);
std::optional<Destination> destination_from(std::string_view json, const std::string& name,
                                            const DestinationRules& rules, Mistakes& mistakes);
void describe_document(Fields& fields);
/// Its members, without the braces around them. A secret is never in it, only where it is.
void put_document(Writer& writer, const Destination& destination);
std::string document_of(const Destination& destination);

}  // namespace makegood::api
