#include "cli/migrate_tools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <utility>

namespace makegood::cli {
namespace {

constexpr std::array<std::pair<std::string_view, MigrationTool>, 5> tool_names = {{
    {"plain", MigrationTool::plain},
    {"flyway", MigrationTool::flyway},
    {"goose", MigrationTool::goose},
    {"alembic", MigrationTool::alembic},
    {"liquibase", MigrationTool::liquibase},
}};

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string headline(const Exported& exported) {
  return fmt::format("Makegood: migration {:04} ({}) of the outbox {}", exported.migration.number,
                     exported.migration.name, exported.outbox);
}

std::vector<MigrationFile> for_plain(const Exported& exported, const std::string& label) {
  const auto& [number, name, up, down, series] = exported.migration;
  return {{fmt::format("{}_{}.sql", exported.version, label),
           fmt::format("-- {}\nBEGIN;\n\n{}\nCOMMIT;\n", headline(exported), up)},
          {fmt::format("{}_{}_down.sql", exported.version, label),
           fmt::format("-- {}, taken back\nBEGIN;\n\n{}\nCOMMIT;\n", headline(exported), down)}};
}

/// Flyway runs each file in a transaction of its own, and has undo only for those who pay.
std::vector<MigrationFile> for_flyway(const Exported& exported, const std::string& label) {
  return {{fmt::format("V{}__{}.sql", exported.version, label),
           fmt::format("-- {}\n\n{}", headline(exported), exported.migration.up)}};
}

/// As one statement, because goose would cut it at each semicolon; in a transaction, as it does by default.
std::vector<MigrationFile> for_goose(const Exported& exported, const std::string& label) {
  const auto& [number, name, up, down, series] = exported.migration;
  return {{fmt::format("{}_{}.sql", exported.version, label),
           fmt::format("-- {}\n\n-- +goose Up\n-- +goose StatementBegin\n{}-- +goose StatementEnd\n\n"
                       "-- +goose Down\n-- +goose StatementBegin\n{}-- +goose StatementEnd\n",
                       headline(exported), up, down)}};
}

/// Statement by statement, each in one line: what Liquibase does with lines in a comment is its own affair.
std::string liquibase_rollback(std::string_view script) {
  std::string rollback;
  for (const std::string& statement : statements_of(script)) {
    rollback += "--rollback";
    std::string_view rest = statement;
    while (!rest.empty()) {
      const std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      if (!line.starts_with("--")) rollback += fmt::format(" {}", line);
    }
    rollback += '\n';
  }
  return rollback;
}

std::vector<MigrationFile> for_liquibase(const Exported& exported, const std::string& label) {
  const auto& [number, name, up, down, series] = exported.migration;
  return {{fmt::format("{}_{}.sql", exported.version, label),
           fmt::format("--liquibase formatted sql\n\n--changeset makegood:{} splitStatements:false\n-- {}\n\n{}\n{}",
                       label, headline(exported), up, liquibase_rollback(down))}};
}

/// SQLAlchemy takes a colon before a word for a parameter.
std::string without_parameters(std::string_view sql) {
  std::string text;
  for (std::size_t i = 0; i < sql.size(); ++i) {
    const bool is_lone_colon =
        sql[i] == ':' && (i == 0 || sql[i - 1] != ':') && i + 1 < sql.size() && is_word_character(sql[i + 1]);
    if (is_lone_colon) text += '\\';
    text += sql[i];
  }
  return text;
}

/// A list of raw strings, one per statement.
std::string python_list(std::string_view script) {
  std::string list = "[\n";
  for (const std::string& statement : statements_of(script)) {
    list += fmt::format("    r\"\"\"\n{}\n\"\"\",\n", without_parameters(statement));
  }
  return list + "]\n";
}

std::vector<MigrationFile> for_alembic(const Exported& exported, const std::string& label) {
  const auto& [number, name, up, down, series] = exported.migration;
  const std::string revision = alembic_revision(exported.outbox, exported.migration);
  const std::string previous = exported.previous.empty() ? "None" : fmt::format("\"{}\"", exported.previous);
  // Without a revision before it, it is a branch of its own, which `upgrade heads` runs too.
  const std::string labels = exported.previous.empty() ? fmt::format("(\"{}\",)", label) : "None";
  return {{fmt::format("{}_{}.py", exported.version, label),
           fmt::format(
               "\"\"\"{}\n\nRevision ID: {}\n\"\"\"\n\nfrom alembic import op\nfrom sqlalchemy import text\n\n"
               "revision = \"{}\"\ndown_revision = {}\nbranch_labels = {}\ndepends_on = None\n\nUP = {}\nDOWN = {}\n\n"
               "def upgrade():\n    for statement in UP:\n        op.execute(text(statement))\n\n\n"
               "def downgrade():\n    for statement in DOWN:\n        op.execute(text(statement))\n",
               headline(exported), revision, revision, previous, labels, python_list(up), python_list(down))}};
}

/// $$ or $word$ begins a body, and the same mark ends it; other marks within it do not count.
void pass_body_marks(std::string_view line, std::string& body_mark) {
  for (std::size_t at = line.find('$'); at != std::string_view::npos; at = line.find('$', at + 1)) {
    const std::size_t end = line.find_first_not_of("abcdefghijklmnopqrstuvwxyz_", at + 1);
    if (end == std::string_view::npos || line[end] != '$') continue;
    const std::string_view mark = line.substr(at, end - at + 1);
    if (body_mark.empty()) {
      body_mark = mark;
    } else if (body_mark == mark) {
      body_mark.clear();
    }
    at = end;
  }
}

}  // namespace

std::optional<MigrationTool> migration_tool_from(std::string_view text) {
  const auto* const found = std::ranges::find(tool_names, text, &std::pair<std::string_view, MigrationTool>::first);
  return found == tool_names.end() ? std::nullopt : std::optional(found->second);
}

std::string export_label(std::string_view outbox, const postgres::MigrationText& migration) {
  std::string plain = std::string(outbox) + migration.series;
  std::ranges::replace_if(plain, [](char c) { return !is_word_character(c); }, '_');
  // What is called makegood_outbox by everybody must not be called so twice.
  const std::string owner = plain.starts_with("makegood") ? plain : "makegood_" + plain;
  return fmt::format("{}_{:04}_{}", owner, migration.number, migration.name);
}

std::string alembic_revision(std::string_view outbox, const postgres::MigrationText& migration) {
  std::uint32_t hash = 2166136261U;  // FNV-1a: the same name gives the same revision everywhere.
  for (const char c : std::string(outbox) + migration.series) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  return fmt::format("makegood_{:08x}_{:04}", hash, migration.number);
}

std::vector<MigrationFile> files_for(MigrationTool tool, const Exported& exported) {
  const std::string label = export_label(exported.outbox, exported.migration);
  switch (tool) {
    case MigrationTool::plain:
      return for_plain(exported, label);
    case MigrationTool::flyway:
      return for_flyway(exported, label);
    case MigrationTool::goose:
      return for_goose(exported, label);
    case MigrationTool::alembic:
      return for_alembic(exported, label);
    case MigrationTool::liquibase:
      return for_liquibase(exported, label);
  }
  std::unreachable();
}

/// Ours end with a semicolon at the end of a line, and have none there but within a body.
std::vector<std::string> statements_of(std::string_view script) {
  std::vector<std::string> statements;
  std::string statement;
  std::string body_mark;  // Empty: not in a body.
  while (!script.empty()) {
    const std::size_t end = std::min(script.find('\n'), script.size());
    const std::string_view line = script.substr(0, end);
    script.remove_prefix(std::min(end + 1, script.size()));
    if (line.empty() && statement.empty()) continue;
    pass_body_marks(line, body_mark);
    statement += statement.empty() ? "" : "\n";
    statement += line;
    const bool is_comment = line.starts_with("--");
    if (!body_mark.empty() || is_comment || !line.ends_with(';')) continue;
    statements.push_back(std::exchange(statement, {}));
  }
  return statements;
}

}  // namespace makegood::cli
