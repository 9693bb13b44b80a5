// A program's own connection to the database of a crash test, whichever store it is. Its `orders` are the business
// rows: one for each message, in the same transaction, so that they tell later whether it was committed.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "makegood/message.hpp"
#include "makegood/result.hpp"
#include "tests/crash/chronicle.hpp"

namespace makegood::crash {

using Violations = std::vector<std::string>;

inline constexpr const char* pending_messages =
    "SELECT count(*) FROM makegood_outbox_status WHERE state IN ('pending', 'leased')";

class Database {
 public:
  virtual ~Database() = default;

  /// Statements without an answer; false when one has failed.
  virtual bool run(const std::string& sql) = 0;
  /// All rows as text; the database's own words, in one row, when it cannot answer.
  virtual std::vector<Line> ask(const std::string& sql) = 0;
  /// How long a statement waits for somebody else's lock.
  virtual void wait_at_most(std::chrono::milliseconds time) = 0;

  /// Makes the table of orders and gets ready to enqueue. The outbox's tables must be there.
  virtual Result<> open_shop() = 0;
  virtual bool begin() = 0;
  virtual bool is_in_transaction() const = 0;
  /// Nobody else writes for this key until the transaction ends, so that the order of the log is that of the commits.
  virtual bool lock(const std::string& key) = 0;
  virtual bool enqueue(const NewMessage& message) = 0;
  /// Errc::in_doubt: it may have happened. After any other error it certainly has not.
  virtual Result<> commit() = 0;

  /// P11: it is whole.
  virtual Violations check_integrity() = 0;
  /// P11: the outbox's tables are those of a new database, whatever happened to this one on the way.
  virtual Violations check_tables() = 0;
};

/// `sqlite:PATH` or `postgres://…`.
Result<std::unique_ptr<Database>> open_database(const std::string& url);

/// `vfs`: null for the one that may be faulty.
Result<std::unique_ptr<Database>> open_sqlite_database(const std::string& path, const char* vfs = nullptr);
Result<std::unique_ptr<Database>> open_postgres_database(const std::string& url);

}  // namespace makegood::crash
