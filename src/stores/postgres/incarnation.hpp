// Which database this is: a copy must not send what the original sends.
#pragma once

#include "stores/postgres/connection.hpp"
#include "stores/postgres/server_traits.hpp"

namespace makegood::postgres {

/// What one process knows of the database that it takes lanes of.
class IncarnationCheck {
 public:
  explicit IncarnationCheck(std::string environment);

  /// System identifier, timeline and database. Errc::store_foreign when this is a copy that has not been adopted.
  /// Within the transaction of a taking: what the record lacks is added to it.
  Result<std::string> check(Connection& connection);
  /// After `check` has failed: whether the places where the database was reached before should be asked. Not again for
  /// half a minute after they were.
  bool should_ask(MonotonicTime now) const;
  /// Asks them, and records this place if one of them is the same server. Outside of a transaction.
  Result<bool> ask(Connection& connection, MonotonicTime now);

 private:
  const std::string environment_;
  const std::string machine_;
  bool is_asking_ = false;  ///< The last check had no other doubt than the place.
  std::optional<MonotonicTime> asked_at_;
};

}  // namespace makegood::postgres
