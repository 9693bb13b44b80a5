// Appends messages to the log, on any connection: the store's own or the caller's.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "base/new_row.hpp"
#include "makegood/id.hpp"
#include "makegood/result.hpp"
#include "stores/postgres/parameters.hpp"
#include "stores/postgres/rows.hpp"

namespace makegood::postgres {

class MessageWriter {
 public:
  /// Runs an embedded statement.
  using Run = std::function<Result<Rows>(std::string_view sql, const Parameters& values)>;
  struct Options {
    EnqueueRules rules;
    Ids* ids;                       ///< For events that come without one.
    TraceSource trace_source = {};  ///< For messages that name no trace.
    bool is_ordered = false;        ///< Who enqueues for the same key waits for the other's transaction.
  };
  MessageWriter(Run run, Options options);

  /// `now`: only for tests; otherwise the server's clock counts.
  Result<Enqueued> write(const NewMessage& message, std::optional<TimePoint> now = {});
  /// In this order, in a few statements.
  Result<std::vector<Enqueued>> write(std::span<const NewMessage> messages, std::optional<TimePoint> now = {});
  /// Whether writing them is one statement, after which nothing has to be looked up.
  static bool is_one_statement(std::span<const NewMessage> messages);
  /// For a statement insert_messages of somebody else's, who wants to know no more than that they are there.
  Result<Parameters> parameters(std::span<const NewMessage> messages, std::optional<TimePoint> now) const;

 private:
  struct Prepared;
  Result<> lock_keys(std::span<const Prepared> rows);
  Result<Prepared> prepare(const NewMessage& message) const;
  Result<Enqueued> insert(const Prepared& prepared, std::optional<TimePoint> now);
  Result<Enqueued> insert_plain(const NewRow& row, std::optional<TimePoint> now);
  Result<> insert(std::span<const Prepared> rows, std::optional<TimePoint> now, std::vector<Enqueued>& enqueued);
  static std::size_t bytes_of(std::span<const Prepared> rows);
  Result<Enqueued> find(const NewRow& row);

  Run run_;
  Options options_;
};

}  // namespace makegood::postgres
