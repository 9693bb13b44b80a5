// A saga's definition as it is stored.
#pragma once

#include <string>
#include <string_view>

#include "makegood/result.hpp"
#include "makegood/saga_definition.hpp"

namespace makegood {

/// The same text for the same definition: two versions are the same when their texts are. Without the version's number.
std::string encode(const SagaDefinition& definition);
/// What is left out has its default; what is there and is something else is Errc::store_corrupt.
Result<SagaDefinition> decode_saga_definition(std::string_view text);

}  // namespace makegood
