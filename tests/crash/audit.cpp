#include "tests/crash/audit.hpp"

#include <map>
#include <set>

#include "makegood/spi/assert.hpp"
#include "makegood/spi/position.hpp"
#include "sim/checker.hpp"
#include "tests/crash/chronicle.hpp"
#include "tests/crash/relay.hpp"
#include "tests/crash/turns.hpp"

namespace makegood::crash {
namespace {

constexpr const char* all_turns = "SELECT turn, owner FROM makegood_outbox_turn WHERE lane = 0 ORDER BY turn";

void note_turns(Database& database, const Chronicle& chronicle) {
  for (const Line& row : database.ask(all_turns)) {
    if (row.size() == 2) chronicle.note({"seen", row[0], row[1]});
  }
  chronicle.note({"all_seen"});
}

class Accounts {
 public:
  Accounts(Database& database, const Place& place) : database_(database), lines_(read_chronicle(place.chronicle())) {}

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
    add(database_.check_integrity());
    add(database_.check_tables());
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

  Database& database_;
  const std::vector<Line> lines_;
  std::set<std::string> orders_;
  sim::Checker checker_;
  Violations violations_;
};

/// The next process must meet what the crash has left: a file is looked at in a copy.
Place copy_of(const Place& place) {
  const Place copy{.folder = place.folder / "copy"};
  std::filesystem::remove_all(copy.folder);
  std::filesystem::create_directory(copy.folder);
  for (const char* suffix : {"", "-wal", "-journal"}) {
    if (std::filesystem::exists(place.database() + suffix)) {
      std::filesystem::copy_file(place.database() + suffix, copy.database() + suffix);
    }
  }
  return copy;
}

std::unique_ptr<Database> open_or_die(const Place& place) {
  auto database = open_database(place.url());
  MAKEGOOD_ASSERT(database.has_value());
  return *std::move(database);
}

}  // namespace

Violations check_crashed(const Place& place) {
  const bool is_file = place.server.empty();
  if (is_file && !std::filesystem::exists(place.database())) return {};
  const auto database = open_or_die(is_file ? copy_of(place) : place);
  note_turns(*database, Chronicle(place.chronicle()));
  return database->check_integrity();
}

Violations audit(const Place& place) {
  const auto database = open_or_die(place);
  return Accounts(*database, place).settle();
}

}  // namespace makegood::crash
