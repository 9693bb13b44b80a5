// A migration as the tools that teams use for theirs want it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stores/postgres/migrations.hpp"

namespace makegood::cli {

enum class MigrationTool { plain, flyway, goose, alembic, liquibase };
std::optional<MigrationTool> migration_tool_from(std::string_view text);

struct MigrationFile {
  std::string name;
  std::string content;
};

/// One migration on its way to a tool.
struct Exported {
  const postgres::MigrationText& migration;
  std::string outbox;
  std::string version;   ///< Where it stands among the team's own: 20260131120000.
  std::string previous;  ///< The revision that Alembic has to run before; empty: none.
};

/// What all files of this migration have in their names: makegood_outbox_0001_outbox.
std::string export_label(std::string_view outbox, const postgres::MigrationText& migration);
/// How Alembic calls it: it has room for 32 characters.
std::string alembic_revision(std::string_view outbox, const postgres::MigrationText& migration);
std::vector<MigrationFile> files_for(MigrationTool tool, const Exported& exported);

/// Statement by statement; the body of a function is not cut.
std::vector<std::string> statements_of(std::string_view script);

}  // namespace makegood::cli
