// Versions of a definition, and what tells the owner of a new one.
#pragma once

#include "makegood/spi/saga_store.hpp"

namespace makegood {

/// Errc::invalid unless it has a name that can be the topic of a start, and texts that every database takes.
Result<> check_definition_row(const SagaDefinitionRow& row);

struct DefinitionPlace {
  std::int64_t version = 0;
  bool is_new = false;
};
/// Which version a definition gets that somebody puts. `newest`: of its name; `there`: the one that it names itself, if
/// it names one. See SagaView::put_definition.
Result<DefinitionPlace> place_definition(const SagaDefinitionRow& wanted,
                                         const std::optional<SagaDefinitionRow>& newest,
                                         const std::optional<SagaDefinitionRow>& there);

/// {"name":…,"version":…}
NewMessage define_request(std::string_view name, std::int64_t version);

}  // namespace makegood
