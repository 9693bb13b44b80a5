// Appends messages to the log, on any connection: the store's own or the caller's.
#pragma once

#include <span>
#include <vector>

#include "base/new_row.hpp"
#include "makegood/clock.hpp"
#include "makegood/id.hpp"
#include "makegood/sqlite.hpp"
#include "stores/sqlite/connection.hpp"

namespace makegood::sqlite {

class MessageWriter {
 public:
  static Result<MessageWriter> open(sqlite3* db, EnqueueOptions options, const Clock& clock, Ids& ids);

  Result<Enqueued> write(const NewMessage& message);
  Result<Enqueued> write(const NewRow& row) { return write(row, false); }
  /// What Makegood itself has to tell.
  Result<Enqueued> tell(const NewMessage& event);
  /// The same; an event that is there already stays, whatever its content.
  Result<> tell_once(const NewMessage& event);
  /// What a log of sagas takes: starts, and requests under their own topics.
  Result<std::vector<Enqueued>> write_requests(std::span<const NewMessage> requests);

 private:
  MessageWriter(sqlite3* db, EnqueueOptions options, const Clock& clock, Ids& ids, Statement insert, Statement find);
  Result<> check_transaction() const;
  Result<Enqueued> write(const NewRow& row, bool may_tell);
  Result<> check(const NewRow& row, bool may_tell) const;
  Result<Enqueued> insert_or_find(const NewRow& row);
  Result<bool> insert(const NewRow& row);
  Result<Enqueued> find(const NewRow& row);

  sqlite3* db_;  ///< The caller's.
  EnqueueOptions options_;
  const Clock* clock_;
  Ids* ids_;
  Statement insert_;
  Statement find_;
};

}  // namespace makegood::sqlite
