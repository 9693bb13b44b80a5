// Idempotency on a connection that belongs to somebody else, and in a transaction that only that somebody ends.
#include <sqlite3.h>

#include "makegood/sqlite_idempotency.hpp"
#include "stores/sql/inbox_table.hpp"
#include "stores/sql/key_table.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/key_migrations.hpp"
#include "stores/sqlite/keys.hpp"

namespace makegood::sqlite {

class Keys::Statements {
 public:
  Statements(sqlite3* db, Identifier series, ResultStorage storage)
      : connection_(Connection::borrow(db, std::move(series))),
        keys_(connection_, key_statements(),
              {.clock = &system_clock(), .ids = &process_ids(), .storage = std::move(storage), .is_borrowed = true}),
        inbox_(connection_, key_statements(), &system_clock()) {}

  template <class Act>
  auto act(const Act& act)
      -> decltype(act(std::declval<relational::KeyTable&>(), std::declval<relational::InboxTable&>())) {
    if (!connection_.is_in_transaction()) {
      return Error{Errc::not_in_transaction,
                   "There is no transaction: it was never begun, or SQLite rolled it back, so this would stand alone."};
    }
    auto answer = act(keys_, inbox_);
    // A claim that is stale must take the transaction with it: whoever overlooks the error would commit its effect.
    if (!answer) connection_.roll_back();
    return answer;
  }

  Connection& connection() { return connection_; }

 private:
  Connection connection_;
  relational::KeyTable keys_;
  relational::InboxTable inbox_;
};

Keys::Keys(std::unique_ptr<Statements> statements) : statements_(std::move(statements)) {}
Keys::~Keys() = default;
Keys::Keys(Keys&&) noexcept = default;
Keys& Keys::operator=(Keys&&) noexcept = default;

Result<Keys> Keys::open(sqlite3* db, const Options& options) {
  auto statements = std::make_unique<Statements>(db, MAKEGOOD_TRY(Identifier::from(key_series)),
                                                 ResultStorage{options.limits, options.seal});
  MAKEGOOD_TRY(check_key_version(statements->connection()));
  return Keys(std::move(statements));
}

Result<ClaimAnswer> Keys::claim(const ClaimRequest& request) {
  return statements_->act(
      [&](relational::KeyTable& keys, auto&) { return std::move(keys.claim({&request, 1}).front()); });
}

Result<ClaimAnswer> Keys::once(const ClaimRequest& request, const StoredResult& result) {
  return statements_->act([&](relational::KeyTable& keys, auto&) { return keys.once(request, result); });
}

Result<> Keys::finish(const ClaimToken& claim, const StoredResult& result) {
  return statements_->act([&](relational::KeyTable& keys, auto&) { return keys.finish(claim, result); });
}

Result<> Keys::fail(const ClaimToken& claim, const Failure& failure) {
  return statements_->act([&](relational::KeyTable& keys, auto&) { return keys.fail(claim, failure); });
}

Result<Seen> Keys::seen(const InboxEvent& event) {
  return statements_->act([&](auto&, relational::InboxTable& inbox) { return inbox.seen(event); });
}

Result<> migrate_idempotency(sqlite3* db) {
  Connection connection = Connection::borrow(db, MAKEGOOD_TRY(Identifier::from(key_series)));
  return migrate_keys(connection);
}

}  // namespace makegood::sqlite
