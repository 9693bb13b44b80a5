// Made-up inputs and outputs, so that every template finds something and conditions hold or do not, as it is wanted.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "makegood/saga_definition.hpp"

namespace makegood::rehearsal {

struct Values {
  std::string input = "{}";
  std::map<std::string, std::string> outputs = {};  ///< By step.
};

/// All conditions hold, as far as they can together; first of all that of `step` and of those that it reads.
/// `is_wanted` false: that of `step` does not hold. `input` is used as it is, if there is one.
Values values_for(const SagaDefinition& definition, std::optional<std::size_t> step, bool is_wanted,
                  const std::string& input);

}  // namespace makegood::rehearsal
