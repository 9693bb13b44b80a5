#include "stores/sql/migrations.hpp"

#include <fmt/format.h>

namespace makegood::relational {

std::string text_of(const Migration& migration) {
  if (migration.views.empty()) return std::string(migration.up);
  return fmt::format("{}\n{}", migration.up, migration.views);
}

Error missing_tables(std::string diagnostics) {
  return {Errc::schema_mismatch, "The outbox's tables are missing or are not of this version; run `makegood migrate`.",
          std::move(diagnostics)};
}

Error missing_outbox(std::string_view outbox, std::string_view others) {
  if (others.empty()) return missing_tables("no migration");
  return {Errc::schema_mismatch,
          fmt::format("There is no outbox {} here; there are: {}. Name one with --outbox, or run `makegood migrate`.",
                      outbox, others)};
}

Result<> check_not_newer(std::int64_t current, int newest) {
  if (current <= newest) return {};
  return Error{
      Errc::schema_mismatch,
      fmt::format("The tables are of a newer version ({}; this one knows {}); run a newer makegood.", current, newest)};
}

SagaTablesState state_of_tables(std::int64_t current, int newest) {
  if (current == 0) return SagaTablesState::missing;
  if (current == newest) return SagaTablesState::current;
  return current < newest ? SagaTablesState::older : SagaTablesState::newer;
}

Result<> check_version(std::int64_t current, int newest, std::string_view command) {
  MAKEGOOD_TRY(check_not_newer(current, newest));
  if (current == newest) return {};
  std::string told = "The tables are missing";
  if (current > 0) told = fmt::format("The tables are of an older version ({}; this one knows {})", current, newest);
  return Error{Errc::schema_mismatch, fmt::format("{}; run `{}`.", told, command),
               fmt::format("migration {} of {}", current, newest)};
}

Error undelivered_messages(std::string_view outbox) {
  return {Errc::conflict, fmt::format("{} holds messages that were not delivered; nothing was dropped.", outbox)};
}

}  // namespace makegood::relational
