#include "stores/postgres/migrations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <span>

#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/connection.hpp"
#include "stores/postgres/migrate.hpp"
#include "stores/postgres/migration_list.hpp"

namespace makegood::postgres {
namespace {

/// The name behind the first of these beginnings that the line has. Empty: none.
std::string_view name_behind(std::string_view line, std::span<const std::string_view> beginnings) {
  for (const std::string_view begin : beginnings) {
    if (!line.starts_with(begin)) continue;
    line.remove_prefix(begin.size());
    return line.substr(0, line.find_first_of(" (;"));
  }
  return {};
}

/// An index is made without its schema, and found with it.
std::string found_as(std::string_view made, const Identifier& outbox) {
  constexpr std::string_view index_mark = "{name}";
  if (made.starts_with(index_mark)) return outbox.qualified(made.substr(index_mark.size()));
  return outbox.into(made);
}

/// What the migrations make, read from them as they are written: one thing begins on one line.
class Parts {
 public:
  explicit Parts(const Identifier& outbox) : outbox_(outbox) {}

  void add_from(std::string_view sql) {
    while (!sql.empty()) {
      const std::size_t end = std::min(sql.find('\n'), sql.size());
      add_line(sql.substr(0, end));
      sql.remove_prefix(std::min(end + 1, sql.size()));
    }
  }
  Result<std::vector<std::string>> missing_in(Connection& connection) const {
    Rows rows = MAKEGOOD_TRY(connection.query(sql::missing_parts, relations_, columns_, triggers_));
    std::vector<std::string> missing;
    while (rows.next()) missing.emplace_back(rows.text(0));
    return missing;
  }

 private:
  static constexpr std::array<std::string_view, 3> tables = {"CREATE TABLE IF NOT EXISTS ",
                                                             "CREATE UNLOGGED TABLE IF NOT EXISTS ", "CREATE TABLE "};
  static constexpr std::array<std::string_view, 4> others = {"CREATE OR REPLACE VIEW ", "CREATE INDEX ",
                                                             "CREATE OR REPLACE FUNCTION ", "CREATE FUNCTION "};

  void add_line(std::string_view line) {
    if (const std::string_view table = name_behind(line, tables); !table.empty()) {
      table_ = found_as(table, outbox_);
      return add(table_);
    }
    if (const std::string_view other = name_behind(line, others); !other.empty()) return add(found_as(other, outbox_));
    if (line.starts_with(trigger_mark)) return add_trigger(line);
    if (!table_.empty() && line.starts_with(')')) return table_.clear();
    if (!table_.empty()) add_column(line);
  }
  void add(std::string_view relation, std::string_view column = {}, std::string_view trigger = {}) {
    relations_.add(relation);
    columns_.add(column);
    triggers_.add(trigger);
  }
  /// Of a table, whose columns are written small and two characters in; what else it has is not.
  void add_column(std::string_view line) {
    constexpr std::string_view indent = "  ";
    if (!line.starts_with(indent)) return;
    line.remove_prefix(indent.size());
    if (!line.empty() && line.front() >= 'a' && line.front() <= 'z') add(table_, line.substr(0, line.find(' ')));
  }
  void add_trigger(std::string_view line) {
    constexpr std::string_view place_mark = " ON ";
    line.remove_prefix(trigger_mark.size());
    std::string_view place = line.substr(line.find(place_mark) + place_mark.size());
    add(found_as(place.substr(0, place.find(' ')), outbox_), {}, line.substr(0, line.find(' ')));
  }

  static constexpr std::string_view trigger_mark = "CREATE TRIGGER ";
  const Identifier& outbox_;
  std::string table_;  ///< The one whose columns come.
  Array relations_{Type::text}, columns_{Type::text}, triggers_{Type::text};
};

/// A name may look like a mark itself, so what was filled in is not read again.
std::string with_roles(std::string_view script, const Identifier& outbox, std::string_view producer,
                       std::string_view relay) {
  constexpr std::string_view producer_mark = "%producer%";
  constexpr std::string_view relay_mark = "%relay%";
  std::string filled;
  while (true) {
    const std::size_t mark = script.find('%');
    filled += outbox.into(script.substr(0, mark));
    if (mark == std::string_view::npos) return filled;
    const bool is_producer = script.substr(mark).starts_with(producer_mark);
    filled += quoted(is_producer ? producer : relay);
    script.remove_prefix(mark + (is_producer ? producer_mark : relay_mark).size());
  }
}

std::vector<MigrationSeries> series_of(TablesOf which) {
  if (which == TablesOf::outbox) return {of_outboxes};
  return {of_outboxes, of_sagas};
}

/// Those of one series, behind those that are there.
void add_texts(const MigrationSeries& series, const Identifier& outbox, std::vector<MigrationText>& texts) {
  const std::string lock = fmt::format("{};\n{};\n\n", sql::migration_lock, sql::migration_patience);
  const std::string schema = outbox.schema().empty() ? "" : create_schema(outbox) + "\n";
  for (const Migration& step : series.migrations) {
    std::string up = lock + schema + outbox.into(sql::migration_0000_store) + "\n" + script_of(series, step, outbox);
    texts.push_back({.number = step.number,
                     .name = std::string(step.name),
                     .up = std::move(up),
                     .down = lock + outbox.into(step.down),
                     .series = std::string(series.suffix)});
  }
}

/// What was applied is to be there; the rest is missing as a whole.
void add_parts(const MigrationSeries& series, std::int64_t applied, Parts& parts, std::vector<std::string>& missing) {
  for (const Migration& step : series.migrations) {
    if (step.number > applied) {
      missing.push_back(fmt::format("migration {:04} {}", step.number, step.name));
    } else {
      parts.add_from(text_of(step));
    }
  }
}

}  // namespace

Result<std::vector<MigrationText>> migration_texts(std::string_view outbox, TablesOf which) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  std::vector<MigrationText> texts;
  for (const MigrationSeries& series : series_of(which)) add_texts(series, identifier, texts);
  return texts;
}

Result<std::vector<std::string>> missing_parts(std::string_view url, std::string_view outbox, TablesOf which) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  Connection connection = MAKEGOOD_TRY(Connection::open(std::string(url), identifier));
  std::vector<std::string> missing;
  Parts parts(identifier);
  std::int64_t applied = 0;
  for (const MigrationSeries& series : series_of(which)) {
    applied = MAKEGOOD_TRY(current_number(connection, series));
    add_parts(series, applied, parts, missing);
  }
  if (applied > 0) parts.add_from(sql::migration_0000_store);
  std::ranges::move(MAKEGOOD_TRY(parts.missing_in(connection)), std::back_inserter(missing));
  return missing;
}

Result<std::string> grants_script(std::string_view outbox, std::string_view producer, std::string_view relay,
                                  TablesOf which) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  std::string script = with_roles(sql::grants, identifier, producer, relay);
  if (which == TablesOf::sagas) script += with_roles(sql::saga_grants, identifier, producer, relay);
  if (!identifier.schema().empty()) {
    script += fmt::format("GRANT USAGE ON SCHEMA {} TO {}, {};\n", quoted(identifier.schema()), quoted(producer),
                          quoted(relay));
  }
  return script;
}

}  // namespace makegood::postgres
