// What a backend has to offer so that the suite for sagas can put it to the test.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "makegood/spi/saga_store.hpp"
#include "tests/support/fake_clock.hpp"

namespace makegood::conformance {

/// A program's own transaction, which starts executions with what the backend gives everybody: a plain INSERT where
/// there are tables. Rolled back unless committed.
class Starter {
 public:
  virtual ~Starter() = default;
  virtual Result<> start(const std::string& definition, const std::string& id, const std::string& input) = 0;
  virtual Result<> commit() = 0;
};

/// One fresh, empty database that lives as long as this object.
class SagasUnderTest {
 public:
  virtual ~SagasUnderTest() = default;
  /// Another connection of its own to the same, migrated database.
  virtual std::unique_ptr<SagaStore> connect() = 0;
  virtual std::unique_ptr<SagaView> connect_view() = 0;
  /// To the outbox where executions tell of their end.
  virtual std::unique_ptr<OutboxStore> connect_outbox() = 0;
  virtual std::unique_ptr<Starter> begin() = 0;
  /// What somebody with a shell is told: the first column of the first row, or `refused`. Nothing: there are no tables.
  virtual std::optional<std::string> ask(const std::string& /*sql*/) { return std::nullopt; }

  /// The clock of every connection.
  testing_support::FakeClock clock;
};

struct SagasKind {
  std::string name;
  std::function<std::unique_ptr<SagasUnderTest>()> open;
};
inline std::ostream& operator<<(std::ostream& out, const SagasKind& kind) { return out << kind.name; }

}  // namespace makegood::conformance
