#include "tests/crash/bank.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "makegood/spi/assert.hpp"

namespace makegood::crash {
namespace {

/// The disk that fails is the orchestrator's, not this one.
constexpr const char* a_good_disk = "unix";
constexpr const char* tables =
    "PRAGMA synchronous = OFF;"  // Processes die here, machines do not.
    "CREATE TABLE IF NOT EXISTS barrier (execution TEXT, step TEXT, round INTEGER, state TEXT, cents INTEGER,"
    " PRIMARY KEY (execution, step, round));"
    "CREATE TABLE IF NOT EXISTS entry (execution TEXT, step TEXT, cents INTEGER)";

std::unique_ptr<Database> opened(const std::string& file) {
  auto database = open_sqlite_database(file, a_good_disk);
  MAKEGOOD_ASSERT(database && (*database)->run(tables));
  return *std::move(database);
}

std::string where(const BankKey& key) {
  return fmt::format("execution = '{}' AND step = '{}'", key.execution, key.step);
}

}  // namespace

Bank::Bank(const std::filesystem::path& folder, const std::string& name, Kind kind)
    : kind_(kind), database_(opened((folder / (name + ".bank")).string())) {}

void Bank::run(const std::string& sql) { MAKEGOOD_ASSERT(database_->run(sql)); }

/// Rows for all rounds up to this one; whoever inserts the row of a round decides what becomes of it.
bool Bank::claim(const BankKey& key) {
  const auto rows = database_->ask(
      fmt::format("WITH RECURSIVE rounds (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM rounds WHERE n < {}) "
                  "INSERT INTO barrier SELECT '{}', '{}', n, 'refused', 0 FROM rounds WHERE true "
                  "ON CONFLICT DO NOTHING RETURNING round",
                  key.round, key.execution, key.step));
  return std::ranges::find(rows, Line{std::to_string(key.round)}) != rows.end();
}

bool Bank::act(const BankKey& key, std::int64_t cents) {
  run("BEGIN IMMEDIATE");
  if (claim(key)) {
    run(fmt::format("INSERT INTO entry VALUES ('{}', '{}', {})", key.execution, key.step, cents));
    run(fmt::format("UPDATE barrier SET state = 'done', cents = {} WHERE {} AND round = {}", cents, where(key),
                    key.round));
  }
  const auto state =
      database_->ask(fmt::format("SELECT state FROM barrier WHERE {} AND round = {}", where(key), key.round));
  run("COMMIT");
  MAKEGOOD_ASSERT(state.size() == 1);
  return state[0][0] == "done";
}

void Bank::undo(const BankKey& key) {
  run("BEGIN IMMEDIATE");
  if (kind_ == Kind::barrier) claim(key);
  const auto undone = database_->ask(
      fmt::format("UPDATE barrier SET state = 'undone' WHERE {} AND round <= {} AND state = 'done' RETURNING cents",
                  where(key), key.round));
  for (const Line& row : undone) {
    run(fmt::format("INSERT INTO entry VALUES ('{}', '{}', -({}))", key.execution, key.step, row.at(0)));
  }
  run("COMMIT");
}

std::map<std::string, std::int64_t> Bank::effects() {
  std::map<std::string, std::int64_t> effects;
  for (const Line& row :
       database_->ask("SELECT execution, step, sum(cents) FROM entry GROUP BY 1, 2 HAVING sum(cents) <> 0")) {
    effects[row.at(0) + " " + row.at(1)] = std::stoll(row.at(2));
  }
  return effects;
}

}  // namespace makegood::crash
