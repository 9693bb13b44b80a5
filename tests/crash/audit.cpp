#include "tests/crash/audit.hpp"

#include <sqlite3.h>

#include <map>
#include <set>

#include "makegood/assert.hpp"
#include "makegood/position.hpp"
#include "makegood/sqlite.hpp"
#include "sim/checker.hpp"
#include "tests/crash/chronicle.hpp"
#include "tests/crash/relay.hpp"
#include "tests/crash/turns.hpp"

namespace makegood::crash {
namespace {

class Database {
 public:
  explicit Database(const std::string& file) {
    MAKEGOOD_ASSERT(sqlite3_open(file.c_str(), &db_) == SQLITE_OK);
    sqlite3_busy_timeout(db_, 5000);
  }
  ~Database() { sqlite3_close(db_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  sqlite3* handle() const { return db_; }
  /// All rows as text; SQLite's own words, in one row, when it cannot answer.
  std::vector<Line> ask(const char* sql) {
    std::vector<Line> rows;
    const auto keep = [](void* into, int count, char** values, char**) {
      Line& row = static_cast<std::vector<Line>*>(into)->emplace_back();
      for (int i = 0; i < count; ++i) row.emplace_back(values[i] != nullptr ? values[i] : "");
      return 0;
    };
    if (sqlite3_exec(db_, sql, keep, &rows, nullptr) != SQLITE_OK) rows.push_back({sqlite3_errmsg(db_)});
    return rows;
  }

 private:
  sqlite3* db_ = nullptr;
};

constexpr const char* outbox_tables =
    "SELECT type, name, sql FROM sqlite_master WHERE name LIKE 'makegood%' ORDER BY name";

Violations check_integrity(Database& database) {
  const auto answer = database.ask("PRAGMA integrity_check");
  if (answer == std::vector<Line>{{"ok"}}) return {};
  return {"P11: the file is damaged: " + (answer.empty() ? "no answer" : answer.front().front())};
}

/// As in a new file, whatever happened to this one on the way.
Violations check_tables(Database& database) {
  Database fresh(":memory:");
  MAKEGOOD_ASSERT(sqlite::migrate(fresh.handle()).has_value());
  if (database.ask(outbox_tables) == fresh.ask(outbox_tables)) return {};
  return {"P11: the tables are not those of a new file"};
}

constexpr const char* all_turns = "SELECT turn, owner FROM makegood_outbox_turn WHERE lane = 0 ORDER BY turn";

void note_turns(Database& database, const Chronicle& chronicle) {
  for (const Line& row : database.ask(all_turns)) {
    if (row.size() == 2) chronicle.note({"seen", row[0], row[1]});
  }
  chronicle.note({"all_seen"});
}

class Accounts {
 public:
  explicit Accounts(const Place& place) : database_(place.database()), lines_(read_chronicle(place.chronicle())) {}

  Violations settle() {
    read_orders();
    compare_ends();
    Turns turns;
    for (const Line& line : lines_) {
      turns.read(line);
      read(line);
    }
    turns.compare(database_.ask(all_turns));
    checker_.at_rest({});
    add(turns.violations());
    add(checker_.violations());
    add(check_integrity(database_));
    add(check_tables(database_));
    if (checker_.committed_count() == 0) violations_.emplace_back("Nothing was committed: this run shows nothing.");
    return violations_;
  }

 private:
  void add(const Violations& more) { violations_.insert(violations_.end(), more.begin(), more.end()); }

  void read_orders() {
    for (const Line& row : database_.ask("SELECT number, event_id, dispatch_key, payload FROM orders")) {
      if (row.size() != 4) continue;
      orders_.insert(row[1]);
      checker_.committed(
          row[1],
          {.sequence = std::stoll(row[0]), .key = row[2], .content = row[3], .destinations = {std::string(receipts)}});
    }
  }

  /// What the producer was told is what the file says.
  void compare_ends() {
    for (const Line& line : lines_) {
      if (line[0] == "committed" && !orders_.contains(line[1])) {
        violations_.push_back("P1: " + line[1] + " was committed and is gone");
      }
      if (line[0] == "rolled_back") {
        checker_.rolled_back(line[1]);
        if (orders_.contains(line[1])) violations_.push_back("P2: " + line[1] + " was rolled back and is there");
      }
    }
  }

  void read(const Line& line) {
    if (line[0] == "sent") checker_.sent(line[1], line[2], line[3]);
    if (line[0] == "arrived") checker_.arrived(line[1], line[2], line[3]);
    if (line[0] == "acknowledged") checker_.acknowledged(line[1], line[2], line[3]);
    if (line[0] == "replayed") checker_.replayed(line[1], line[2]);
  }

  Database database_;
  const std::vector<Line> lines_;
  std::set<std::string> orders_;
  sim::Checker checker_;
  Violations violations_;
};

}  // namespace

Violations check_file(const Place& place) {
  if (!std::filesystem::exists(place.database())) return {};
  const Place copy{.folder = place.folder / "copy"};
  std::filesystem::remove_all(copy.folder);
  std::filesystem::create_directory(copy.folder);
  for (const char* suffix : {"", "-wal", "-journal"}) {
    if (std::filesystem::exists(place.database() + suffix)) {
      std::filesystem::copy_file(place.database() + suffix, copy.database() + suffix);
    }
  }
  Database database(copy.database());
  const bool has_turns = !database.ask("SELECT 1 FROM sqlite_master WHERE name = 'makegood_outbox_turn'").empty();
  if (has_turns) note_turns(database, Chronicle(place.chronicle()));
  return check_integrity(database);
}

Violations audit(const Place& place) { return Accounts(place).settle(); }

}  // namespace makegood::crash
