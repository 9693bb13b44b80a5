// Idempotency on a connection that belongs to somebody else, and in a transaction that only that somebody ends.
#include <libpq-fe.h>

#include "makegood/postgres_idempotency.hpp"
#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/borrowed.hpp"
#include "stores/postgres/borrowed_database.hpp"
#include "stores/postgres/keys.hpp"
#include "stores/sql/inbox_table.hpp"
#include "stores/sql/key_table.hpp"

namespace makegood::postgres {

class Keys::Statements {
 public:
  Statements(PGconn* connection, Identifier series, const Options& options)
      : database_(connection, std::move(series), options.may_prepare),
        keys_(database_, key_statements(),
              {.ids = &process_ids(), .storage = {options.limits, options.seal}, .is_borrowed = true}),
        inbox_(database_, key_statements(), nullptr) {}

  template <class Act>
  auto act(const Act& act)
      -> decltype(act(std::declval<relational::KeyTable&>(), std::declval<relational::InboxTable&>())) {
    if (PQtransactionStatus(database_.handle()) == PQTRANS_IDLE) {
      return Error{Errc::not_in_transaction,
                   "There is no transaction: it was never begun, or has ended, so this would stand alone."};
    }
    auto answer = act(keys_, inbox_);
    // A claim that is stale must take the transaction with it: whoever overlooks the error would commit its effect.
    if (!answer) doom(database_.handle());
    return answer;
  }

 private:
  BorrowedDatabase database_;
  relational::KeyTable keys_;
  relational::InboxTable inbox_;
};

Keys::Keys(std::unique_ptr<Statements> statements) : statements_(std::move(statements)) {}
Keys::~Keys() = default;
Keys::Keys(Keys&&) noexcept = default;
Keys& Keys::operator=(Keys&&) noexcept = default;

Result<Keys> Keys::open(pg_conn* connection, const Options& options) {
  return Keys(std::make_unique<Statements>(connection, MAKEGOOD_TRY(key_series_in(options.schema)), options));
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

}  // namespace makegood::postgres
