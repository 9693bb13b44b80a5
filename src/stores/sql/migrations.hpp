// The numbered migrations of an outbox, as every relational store has them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "makegood/result.hpp"
#include "makegood/spi/saga_store.hpp"

namespace makegood::relational {

/// The texts have places for the names of an outbox.
struct Migration {
  int number;
  std::string_view name;
  std::string_view up;
  std::string_view down;
  /// Of the last migration that has changed the views: how they are now. Those before it make none.
  std::string_view views = {};
};

/// Migrations that are numbered together: those of an outbox, and those of what a log of sagas has besides.
struct MigrationSeries {
  std::span<const Migration> migrations;
  std::string_view suffix = {};  ///< Of the name that they are recorded under, behind that of the outbox.
  std::string_view number = {};  ///< The statement that asks for the last one that was applied.

  int newest() const { return migrations.back().number; }
};

/// All that a migration does to the tables and views.
std::string text_of(const Migration& migration);

Error missing_tables(std::string diagnostics);
/// Of one that the database does not have, while it has these (names with commas; empty: none).
Error missing_outbox(std::string_view outbox, std::string_view others);
SagaTablesState state_of_tables(std::int64_t current, int newest);
/// Errc::schema_mismatch when the tables are of a later version than the newest that is known.
Result<> check_not_newer(std::int64_t current, int newest);
/// Errc::schema_mismatch unless the tables are exactly of this version; it says whether they are missing, older or
/// newer. `command` makes them so.
Result<> check_version(std::int64_t current, int newest, std::string_view command = "makegood migrate");
/// Errc::conflict: a way back would drop messages that were not delivered.
Error undelivered_messages(std::string_view outbox);

}  // namespace makegood::relational
