#include "tests/crash/ledger.hpp"

#include <fstream>

#include "makegood/spi/assert.hpp"
#include "tests/crash/database.hpp"

namespace makegood::crash {
namespace {

constexpr const char* destination = "fn:receipts";

void read_orders(Database& database, sim::Checker& checker) {
  for (const Line& row : database.ask("SELECT number, event_id, dispatch_key, payload FROM orders")) {
    MAKEGOOD_ASSERT(row.size() == 4);
    checker.committed(
        row[1], {.sequence = std::stoll(row[0]), .key = row[2], .content = row[3], .destinations = {destination}});
  }
}

}  // namespace

sim::Checker audit(const std::string& url, const std::string& receipts) {
  sim::Checker checker;
  const auto database = open_database(url);
  MAKEGOOD_ASSERT(database.has_value());
  read_orders(**database, checker);
  std::ifstream lines(receipts);
  for (std::string event_id, content; lines >> event_id >> content;) checker.arrived(destination, event_id, content);
  checker.at_rest({});
  return checker;
}

std::size_t receipt_count(const std::string& receipts) {
  std::ifstream lines(receipts);
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) ++count;
  return count;
}

}  // namespace makegood::crash
