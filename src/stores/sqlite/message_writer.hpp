// Appends messages to the log, on any connection: the store's own or the caller's.
#pragma once

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

 private:
  MessageWriter(sqlite3* db, EnqueueOptions options, const Clock& clock, Ids& ids, Statement insert, Statement find);
  Result<> check_transaction() const;
  Result<Enqueued> write(const NewRow& row, bool may_tell);
  Result<Enqueued> insert(const NewRow& row);
  Result<Enqueued> find(const NewRow& row);

  sqlite3* db_;  ///< The caller's.
  EnqueueOptions options_;
  const Clock* clock_;
  Ids* ids_;
  Statement insert_;
  Statement find_;
};

}  // namespace makegood::sqlite
