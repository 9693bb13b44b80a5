// The dead letters that pass a filter, one after another, with no more read of each than is asked for.
#pragma once

#include <string>

#include "makegood/outbox_view.hpp"
#include "stores/sqlite/connection.hpp"

namespace makegood::sqlite {

class DeadScan {
 public:
  /// Begins after the given one. The filter must outlive it.
  static Result<DeadScan> begin(Connection& connection, const DeadFilter& filter, const DeadCursor& after = {});

  /// False: there are no more.
  Result<bool> next();

  Sequence sequence() const { return rows_.integer(0); }
  std::string_view destination() const { return rows_.text(1); }
  std::string_view error_code() const { return rows_.text(2); }
  TimePoint changed_at() const { return from_milliseconds(rows_.integer(3)); }
  /// Empty when somebody has deleted the message.
  Result<std::string> topic() const;

 private:
  DeadScan(Connection& connection, const DeadFilter& filter, Rows rows)
      : connection_(connection), filter_(filter), rows_(std::move(rows)) {}

  Connection& connection_;
  const DeadFilter& filter_;
  Rows rows_;
};

/// Errc::not_found when there is no such parked delivery, whatever its state.
Result<DeadLetter> read_dead_letter(Connection& connection, Sequence sequence, std::string_view destination);

}  // namespace makegood::sqlite
