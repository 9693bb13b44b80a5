// On a connection that belongs to somebody else, and in a transaction that only that somebody ends.
#include <libpq-fe.h>

#include <utility>

#include "makegood/postgres.hpp"
#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/borrowed.hpp"
#include "stores/postgres/failure.hpp"
#include "stores/postgres/message_writer.hpp"
#include "stores/postgres/standby_watch.hpp"

namespace makegood::postgres {
namespace {

Result<> check_transaction(PGconn* connection, bool may_autocommit) {
  if (PQpipelineStatus(connection) != PQ_PIPELINE_OFF) {
    return Error{Errc::invalid, "The connection is in pipeline mode; leave it before you enqueue."};
  }
  switch (PQtransactionStatus(connection)) {
    case PQTRANS_INTRANS:
      return {};
    case PQTRANS_IDLE:
      if (may_autocommit) return {};
      return Error{Errc::not_in_transaction,
                   "There is no transaction: it was never begun, or has ended, so this message would stand alone."};
    case PQTRANS_INERROR:
      return Error{Errc::not_in_transaction,
                   "The transaction has failed already; roll it back, nothing of it will be committed."};
    case PQTRANS_ACTIVE:
      return Error{Errc::invalid, "The connection is busy with another statement; take its results first."};
    case PQTRANS_UNKNOWN:
      return lost_connection(connection);
  }
  std::unreachable();
}

}  // namespace

class Enqueuer::Statements {
 public:
  Statements(PGconn* connection, Identifier outbox, const EnqueueOptions& options)
      : may_autocommit_(options.may_autocommit),
        borrowed_(connection, std::move(outbox), options.may_prepare),
        writer_([this](std::string_view sql, const Parameters& values) { return borrowed_.run(sql, values); },
                {.rules = {options.content_bytes_max, options.topic_grammar, options.schemas},
                 .ids = &process_ids(),
                 .trace_source = options.trace_source,
                 .is_ordered = options.is_ordered}) {}

  /// Of one message or of several.
  template <class Answer, class Messages>
  Result<Answer> write(const Messages& messages) {
    MAKEGOOD_TRY(check_transaction(borrowed_.handle(), may_autocommit_));
    auto enqueued = writer_.write(messages);
    if (!enqueued) doom(borrowed_.handle());
    return enqueued;
  }

 private:
  bool may_autocommit_;
  Borrowed borrowed_;
  MessageWriter writer_;
};

Enqueuer::Enqueuer(std::unique_ptr<Statements> statements) : statements_(std::move(statements)) {}
Enqueuer::~Enqueuer() = default;
Enqueuer::Enqueuer(Enqueuer&&) noexcept = default;
Enqueuer& Enqueuer::operator=(Enqueuer&&) noexcept = default;

Result<Enqueuer> Enqueuer::open(pg_conn* connection, const EnqueueOptions& options) {
  Identifier outbox = MAKEGOOD_TRY(Identifier::from(options.outbox));
  return Enqueuer(std::make_unique<Statements>(connection, std::move(outbox), options));
}

Result<Enqueued> Enqueuer::enqueue(const NewMessage& message) { return statements_->write<Enqueued>(message); }

Result<std::vector<Enqueued>> Enqueuer::enqueue(std::span<const NewMessage> messages) {
  return statements_->write<std::vector<Enqueued>>(messages);
}

Result<Enqueued> enqueue(pg_conn* connection, const NewMessage& message, const EnqueueOptions& options) {
  EnqueueOptions once = options;
  once.may_prepare = false;
  auto enqueuer = Enqueuer::open(connection, once);
  if (enqueuer) return enqueuer->enqueue(message);
  doom(connection);
  return std::move(enqueuer).error();
}

Result<> commit(pg_conn* connection) {
  const bool was_none = PQtransactionStatus(connection) == PQTRANS_IDLE;
  StandbyWatch watch(connection);
  const ResultPtr result(PQexec(connection, "COMMIT"));
  if (PQstatus(connection) != CONNECTION_OK) {
    return Error{Errc::in_doubt, "The connection was lost during the commit; whether it happened is unknown.",
                 lost_connection(connection).diagnostics};
  }
  if (!is_success(result.get())) return failure(result.get());
  if (was_none) return Error{Errc::not_in_transaction, "There was no transaction, so nothing was committed."};
  if (watch.was_given_up()) {
    return Error{Errc::in_doubt, "The wait for the standby was given up; a failover may forget this commit."};
  }
  if (std::string_view(PQcmdStatus(result.get())) == "COMMIT") return {};
  return Error{Errc::not_in_transaction,
               "The transaction had failed before: the server rolled it back, and nothing was committed."};
}

}  // namespace makegood::postgres
