// The migrations as texts, for whoever runs them with a tool of his own: what they are, what is missing, what to grant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "makegood/result.hpp"

namespace makegood::postgres {

struct MigrationText {
  int number = 0;
  std::string name;
  std::string up;  ///< With its own record and the lock of all migrations, and without BEGIN and COMMIT.
  std::string down;
  std::string series = {};  ///< Of the tables beside a log of sagas `_journal`; of an outbox's own empty.
};
/// What is asked about: an outbox, or a log of sagas with the tables beside it.
enum class TablesOf { outbox, sagas };

/// All, in their order.
Result<std::vector<MigrationText>> migration_texts(std::string_view outbox, TablesOf which = TablesOf::outbox);

/// What the tables of this version lack, each by its name: a whole migration, or a table, view or index of one. Changes
/// nothing.
Result<std::vector<std::string>> missing_parts(std::string_view url, std::string_view outbox,
                                               TablesOf which = TablesOf::outbox);

/// The least that the role of the producers and Makegood's own need.
Result<std::string> grants_script(std::string_view outbox, std::string_view producer, std::string_view relay,
                                  TablesOf which = TablesOf::outbox);

}  // namespace makegood::postgres
