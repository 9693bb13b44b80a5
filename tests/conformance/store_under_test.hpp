// What a backend has to offer so that the suite can put it to the test.
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include "makegood/spi/outbox_view.hpp"
#include "tests/support/fake_clock.hpp"

namespace makegood::conformance {

/// A producer's own transaction, with whatever the backend gives producers, and room for contents of 1 MiB. Rolled back
/// unless committed.
class Producer {
 public:
  virtual ~Producer() = default;
  virtual Result<Enqueued> enqueue(const NewMessage& message) = 0;
  virtual Result<> commit() = 0;
};

/// What somebody with a shell sees of a store that has tables.
class SqlShell {
 public:
  virtual ~SqlShell() = default;
  /// All rows, columns joined by `|` and rows by `;`. Times are written as in 2024-05-17 09:00:00.000, true is 1.
  virtual std::string ask(const std::string& sql) = 0;
  /// The names of all columns, with blanks in between.
  virtual std::string columns_of(const std::string& table) = 0;
};

/// One fresh, empty database that lives as long as this object. Connections may be used by different threads.
class StoreUnderTest {
 public:
  virtual ~StoreUnderTest() = default;
  /// Another connection of its own to the same, migrated database.
  virtual std::unique_ptr<OutboxStore> connect() = 0;
  virtual std::unique_ptr<OutboxView> connect_view() = 0;
  virtual std::unique_ptr<Producer> begin() = 0;
  // A hand from outside, which no trigger stops.
  virtual void set_counter(Sequence counter) = 0;
  virtual void remove_row(Sequence sequence) = 0;
  virtual void empty_log() = 0;
  /// Null: it has no tables.
  virtual std::unique_ptr<SqlShell> open_shell() { return nullptr; }

  /// The clock of every connection.
  testing_support::FakeClock clock;
};

struct StoreKind {
  std::string name;
  std::function<std::unique_ptr<StoreUnderTest>()> open;
};
inline std::ostream& operator<<(std::ostream& out, const StoreKind& kind) { return out << kind.name; }

}  // namespace makegood::conformance
