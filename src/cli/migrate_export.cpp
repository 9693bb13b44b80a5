// makegood migrate export|check|grants: the tables for teams that run migrations with a tool of their own.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include "cli/migrate_tools.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"
#include "makegood/spi/registry.hpp"
#include "stores/postgres/migrations.hpp"

namespace makegood::cli {
namespace {

struct Export {
  std::string tool = "plain";
  std::string output = ".";
  std::string first_version = {};
  std::string after = {};  ///< A revision of Alembic.
};

/// Few enough digits for a number that can be counted on.
bool is_version(std::string_view text) {
  return !text.empty() && text.size() <= 18 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

class MigrationExport {
 public:
  MigrationExport(const Export& wish, MigrationTool tool) : wish_(wish), tool_(tool), previous_(wish.after) {}

  Result<> write(const std::string& outbox, postgres::TablesOf which) {
    for (const postgres::MigrationText& migration : MAKEGOOD_TRY(postgres::migration_texts(outbox, which))) {
      if (!is_there_already(export_label(outbox, migration))) {
        const Exported exported{
            .migration = migration, .outbox = outbox, .version = next_version(), .previous = previous_};
        for (const MigrationFile& file : files_for(tool_, exported)) MAKEGOOD_TRY(save(file));
      }
      previous_ = alembic_revision(outbox, migration);
    }
    previous_ = wish_.after;
    return {};
  }

 private:
  /// So that after an update only what is new is written.
  bool is_there_already(const std::string& label) const {
    std::error_code ignored;
    for (const auto& file : std::filesystem::directory_iterator(wish_.output, ignored)) {
      const std::string name = file.path().filename().string();
      if (name.find("_" + label + ".") == std::string::npos) continue;
      fmt::print("{}: is there already\n", config::printable(file.path().string()));
      return true;
    }
    return false;
  }

  /// The time, as such tools number by themselves, and seconds further for each that follows; or counted on from what
  /// was asked for.
  std::string next_version() {
    const int index = count_++;
    if (wish_.first_version.empty()) {
      const auto now = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
      return fmt::format("{:%Y%m%d%H%M%S}", fmt::gmtime(now + std::chrono::seconds(index)));
    }
    const std::string& first = wish_.first_version;
    return fmt::format("{:0{}}", std::stoull(first) + static_cast<unsigned long long>(index), first.size());
  }

  Result<> save(const MigrationFile& file) const {
    const std::string path = (std::filesystem::path(wish_.output) / file.name).string();
    std::ofstream out(path, std::ios::binary);
    out << file.content;
    out.close();
    if (!out) {
      return Error{Errc::invalid, fmt::format("{} cannot be written; is the folder there?", config::printable(path))};
    }
    fmt::print("{}\n", config::printable(path));
    return {};
  }

  const Export& wish_;
  const MigrationTool tool_;
  std::string previous_;
  int count_ = 0;
};

Result<> export_migrations(const Program& program, const Export& wish) {
  const config::Config config = MAKEGOOD_TRY(load_config(program));
  const auto tool = migration_tool_from(wish.tool);
  if (!tool) return Error{Errc::invalid, "There is no such tool."};
  MigrationExport exporting(wish, *tool);
  for (const std::string& outbox : config.store.outboxes) {
    MAKEGOOD_TRY(exporting.write(outbox, postgres::TablesOf::outbox));
  }
  for (const std::string& log : program.saga_logs) MAKEGOOD_TRY(exporting.write(log, postgres::TablesOf::sagas));
  return {};
}

/// What whoever would look at the tables says of them.
template <class View>
Result<std::vector<std::string>> missing_for(const Result<View>& opened) {
  if (opened) return std::vector<std::string>();
  if (opened.error().code != Errc::schema_mismatch && opened.error().code != Errc::not_found) return opened.error();
  return std::vector{opened.error().message};
}

Result<std::vector<std::string>> missing_in(const config::StoreConfig& store, const std::string& outbox,
                                            postgres::TablesOf which) {
  if (is_postgres(store.url)) return postgres::missing_parts(store.url, outbox, which);
  if (which == postgres::TablesOf::sagas) return missing_for(open_saga_view(store.url, {.log = outbox}));
  return missing_for(open_outbox_view(store.url, outbox));
}

Result<> check_one(Program& program, const config::StoreConfig& store, const std::string& outbox,
                   postgres::TablesOf which) {
  const auto missing = MAKEGOOD_TRY(missing_in(store, outbox, which));
  if (missing.empty()) fmt::print("{}: the tables are up to date\n", config::printable(outbox));
  for (const std::string& part : missing) {
    fmt::print("{}: missing: {}\n", config::printable(outbox), config::printable(part));
    program.exit = Exit::failed;
  }
  return {};
}

Result<> check_migrations(Program& program) {
  const config::Config config = MAKEGOOD_TRY(load_config(program));
  for (const std::string& outbox : config.store.outboxes) {
    MAKEGOOD_TRY(check_one(program, config.store, outbox, postgres::TablesOf::outbox));
  }
  for (const std::string& log : program.saga_logs) {
    MAKEGOOD_TRY(check_one(program, config.store, log, postgres::TablesOf::sagas));
  }
  return {};
}

struct Grants {
  std::string producer;
  std::string relay;
};

Result<> print_grants(const Program& program, const Grants& grants) {
  const config::Config config = MAKEGOOD_TRY(load_config(program));
  for (const std::string& outbox : config.store.outboxes) {
    fmt::print("{}", MAKEGOOD_TRY(postgres::grants_script(outbox, grants.producer, grants.relay)));
  }
  for (const std::string& log : program.saga_logs) {
    fmt::print("{}",
               MAKEGOOD_TRY(postgres::grants_script(log, grants.producer, grants.relay, postgres::TablesOf::sagas)));
  }
  return {};
}

}  // namespace

void add_outboxes_option(CLI::App& verb, Program& program) {
  verb.add_option("--outbox", program.outboxes, "An outbox; may be repeated. Default: all that are configured")
      ->type_name("NAME")
      ->allow_extra_args(false);
  verb.add_option("--saga-log", program.saga_logs, "A log of sagas, with the tables beside it; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
}

void add_migrate_export(CLI::App& migrate, Program& program) {
  CLI::App& verb = *migrate.add_subcommand("export", "Write PostgreSQL's migrations as files for another tool");
  add_config_flags(verb, program);
  add_outboxes_option(verb, program);
  const auto wish = std::make_shared<Export>();
  verb.add_option("--tool", wish->tool, "For which tool")
      ->check(CLI::IsMember({"plain", "flyway", "goose", "alembic", "liquibase"}))
      ->capture_default_str();
  verb.add_option("--output", wish->output, "The folder to write them to; those that are there already are left out")
      ->type_name("DIR")
      ->capture_default_str();
  verb.add_option("--first", wish->first_version,
                  "The version of the first file. Default: the time, as in 20260131120000")
      ->type_name("NUMBER")
      ->check(CLI::Validator([](std::string& text) { return is_version(text) ? "" : "is not a whole number"; }, ""));
  verb.add_option("--after", wish->after, "For Alembic: the revision that comes before. Default: a branch of its own")
      ->type_name("REVISION");
  verb.footer("Nothing is asked of a server. `makegood migrate check` tells later whether all of them have been run.");
  run(verb, program, [&program, wish] { return export_migrations(program, *wish); });
}

void add_migrate_check(CLI::App& migrate, Program& program) {
  CLI::App& verb = *migrate.add_subcommand("check", "Tell what the tables lack, and change nothing");
  add_store_flags(verb, program);
  add_outboxes_option(verb, program);
  verb.footer("Exit code 1 when something is missing.");
  run(verb, program, [&program] { return check_migrations(program); });
}

void add_migrate_grants(CLI::App& migrate, Program& program) {
  CLI::App& verb = *migrate.add_subcommand("grants", "Print what PostgreSQL's roles need, and no more");
  add_config_flags(verb, program);
  add_outboxes_option(verb, program);
  const auto grants = std::make_shared<Grants>();
  verb.add_option("--producer", grants->producer, "The role of those who enqueue")->type_name("ROLE")->required();
  verb.add_option("--relay", grants->relay, "The role of makegood serve and of operators")
      ->type_name("ROLE")
      ->required();
  verb.footer("Run it as the owner of the tables: makegood migrate grants --producer shop --relay makegood | psql …");
  run(verb, program, [&program, grants] { return print_grants(program, *grants); });
}

}  // namespace makegood::cli
