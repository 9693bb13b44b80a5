#include "stores/postgres/migrations.hpp"

#include <fmt/format.h>

#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/connection.hpp"
#include "stores/postgres/migration_list.hpp"

namespace makegood::postgres {
namespace {

std::string record_of(const Migration& step, const Identifier& outbox) {
  return outbox.into(
      fmt::format("INSERT INTO {{schema}}makegood_migration (outbox, number, name) "
                  "VALUES ({{text}}, {}, '{}');\n",
                  step.number, step.name));
}

std::string schema_of(const Identifier& outbox) {
  if (outbox.schema().empty()) return {};
  return fmt::format("CREATE SCHEMA IF NOT EXISTS {};\n\n", quoted(outbox.schema()));
}

/// What a line makes, as the migrations are written: `CREATE TABLE {outbox}_turn (`. Empty: nothing that has a name.
std::string_view made_by(std::string_view line) {
  for (const std::string_view begin :
       {"CREATE TABLE IF NOT EXISTS ", "CREATE UNLOGGED TABLE IF NOT EXISTS ", "CREATE TABLE ",
        "CREATE OR REPLACE VIEW ", "CREATE INDEX ", "CREATE FUNCTION "}) {
    if (!line.starts_with(begin)) continue;
    line.remove_prefix(begin.size());
    return line.substr(0, line.find_first_of(" ("));
  }
  return {};
}

/// An index is made without its schema, and found with it.
std::string found_as(std::string_view made, const Identifier& outbox) {
  constexpr std::string_view index_mark = "{name}";
  if (made.starts_with(index_mark)) return outbox.qualified(made.substr(index_mark.size()));
  return outbox.into(made);
}

void add_relations(Array& relations, std::string_view sql, const Identifier& outbox) {
  while (!sql.empty()) {
    const std::size_t end = std::min(sql.find('\n'), sql.size());
    const std::string_view made = made_by(sql.substr(0, end));
    if (!made.empty()) relations.add(found_as(made, outbox));
    sql.remove_prefix(std::min(end + 1, sql.size()));
  }
}

Result<std::int64_t> newest_applied(Connection& connection) {
  const std::string table = connection.outbox().into("{schema}makegood_migration");
  if (MAKEGOOD_TRY(connection.number(sql::has_table, table)) == 0) return std::int64_t{0};
  return connection.number(sql::migration_number);
}

void replace_all(std::string& text, std::string_view mark, const std::string& with) {
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + with.size())) {
    text.replace(at, mark.size(), with);
  }
}

}  // namespace

Result<std::vector<MigrationText>> migration_texts(std::string_view outbox) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  const std::string lock = fmt::format("{};\n\n", sql::migration_lock);
  std::vector<MigrationText> texts;
  for (const Migration& step : migrations) {
    std::string up = lock + schema_of(identifier) + identifier.into(sql::migration_0000_store) + "\n" +
                     identifier.into(step.up) + "\n" + record_of(step, identifier);
    texts.push_back({.number = step.number,
                     .name = std::string(step.name),
                     .up = std::move(up),
                     .down = lock + identifier.into(step.down)});
  }
  return texts;
}

Result<std::vector<std::string>> missing_parts(std::string_view url, std::string_view outbox) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  Connection connection = MAKEGOOD_TRY(Connection::open(std::string(url), identifier));
  const std::int64_t applied = MAKEGOOD_TRY(newest_applied(connection));
  std::vector<std::string> missing;
  Array relations(Type::text);
  for (const Migration& step : migrations) {
    if (step.number > applied) {
      missing.push_back(fmt::format("migration {:04} {}", step.number, step.name));
    } else {
      add_relations(relations, step.up, identifier);
    }
  }
  if (applied > 0) add_relations(relations, sql::migration_0000_store, identifier);
  Rows rows = MAKEGOOD_TRY(connection.query(sql::missing_relations, relations));
  while (rows.next()) missing.emplace_back(rows.text(0));
  return missing;
}

Result<std::string> grants_script(std::string_view outbox, std::string_view producer, std::string_view relay) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  std::string script = identifier.into(sql::grants);
  if (!identifier.schema().empty()) {
    script += fmt::format("GRANT USAGE ON SCHEMA {} TO %producer%, %relay%;\n", quoted(identifier.schema()));
  }
  replace_all(script, "%relay%", quoted(relay));
  replace_all(script, "%producer%", quoted(producer));
  return script;
}

}  // namespace makegood::postgres
