// Whether the definition of a saga can be carried out, wherever it comes from: a document, REST, or C++.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "makegood/destination.hpp"
#include "makegood/result.hpp"
#include "makegood/saga_definition.hpp"

namespace makegood {

inline constexpr std::size_t saga_steps_max = 100;
inline constexpr std::size_t saga_bytes_max = std::size_t{64} << 10;  ///< Of a document, and of what is stored.

struct SagaMistake {
  std::optional<std::size_t> step = {};  ///< Its place among the steps; nothing: the definition itself.
  std::string field = {};                ///< In a document's words: `compensation.input`; empty: all of it.
  std::string problem;                   ///< Reads on from the field: "is missing".
};

/// All of them.
std::vector<SagaMistake> mistakes_in(const SagaDefinition& definition);
/// Errc::invalid with all of them, by the names of steps.
Result<> check(const SagaDefinition& definition);

/// Calls of whole URLs that none of these destinations carries.
std::vector<SagaMistake> uncarried_urls(const SagaDefinition& definition, std::span<const Destination> destinations);
/// Errc::invalid with all of them, by the names of steps.
Result<> check_urls(const SagaDefinition& definition, std::span<const Destination> destinations);

/// What a URI of a step must look like; empty: this one does.
std::string problem_of_uri(std::string_view uri);

}  // namespace makegood
