#include "stores/sqlite/message_writer.hpp"

#include <sqlite3.h>

#include "makegood/id.hpp"
#include "makegood_store_sqlite_sql.hpp"
#include "stores/sqlite/failure.hpp"

namespace makegood::sqlite {
namespace {

enum Parameter : int {
  event_id_parameter = 1,
  tenant_id_parameter,
  topic_parameter,
  dispatch_key_parameter,
  priority_parameter,
  payload_parameter,
  body_parameter,
  content_type_parameter,
  headers_parameter,
  envelope_id_parameter,
  traceparent_parameter,
  tracestate_parameter,
  created_at_parameter,
  available_at_parameter,
  expires_at_parameter,
};

/// The parameters that both statements have.
void bind_identity(Rows& run, const NewRow& row) {
  run.bind_borrowed(event_id_parameter, row.event_id);
  run.bind_borrowed(tenant_id_parameter, row.tenant_id);
  run.bind_borrowed(topic_parameter, row.topic);
  run.bind(priority_parameter, row.priority);
  if (row.is_body) {
    run.bind_borrowed_blob(body_parameter, row.content);
  } else {
    run.bind_borrowed(payload_parameter, row.content);
  }
}

}  // namespace

MessageWriter::MessageWriter(sqlite3* db, EnqueueOptions options, const Clock& clock, Ids& ids, Statement insert,
                             Statement find)
    : db_(db),
      options_(std::move(options)),
      clock_(&clock),
      ids_(&ids),
      insert_(std::move(insert)),
      find_(std::move(find)) {}

Result<MessageWriter> MessageWriter::open(sqlite3* db, EnqueueOptions options, const Clock& clock, Ids& ids) {
  const Identifier outbox = MAKEGOOD_TRY(Identifier::from(options.outbox));
  Statement insert = MAKEGOOD_TRY(Statement::prepare(db, outbox.into(sql::insert_message)));
  Statement find = MAKEGOOD_TRY(Statement::prepare(db, outbox.into(sql::find_event)));
  return MessageWriter(db, std::move(options), clock, ids, std::move(insert), std::move(find));
}

Result<> MessageWriter::check_transaction() const {
  if (options_.may_autocommit || sqlite3_get_autocommit(db_) == 0) return {};
  return Error{
      Errc::not_in_transaction,
      "There is no transaction: it was never begun, or SQLite rolled it back (as it does when the disk is full), so "
      "this message would stand alone."};
}

Result<Enqueued> MessageWriter::write(const NewMessage& message) {
  const std::string headers = MAKEGOOD_TRY(encode_headers(message.headers));
  const TraceContext trace = trace_of(message, options_.trace_source);
  return write(row_of(message, headers, trace));
}

Result<Enqueued> MessageWriter::tell(const NewMessage& event) {
  const std::string headers = MAKEGOOD_TRY(encode_headers(event.headers));
  return write(row_of(event, headers, trace_of(event, {})), true);
}

Result<> MessageWriter::tell_once(const NewMessage& event) {
  const std::string headers = MAKEGOOD_TRY(encode_headers(event.headers));
  const TraceContext trace = trace_of(event, {});
  NewRow row = row_of(event, headers, trace);
  const std::string event_id = event.event_id.empty() ? ids_->new_uuid7() : event.event_id;
  row.event_id = event_id;
  MAKEGOOD_TRY(check(row, true));
  MAKEGOOD_TRY(insert(row));
  return {};
}

Result<std::vector<Enqueued>> MessageWriter::write_requests(std::span<const NewMessage> requests) {
  MAKEGOOD_TRY(check_request_topics(requests));
  std::vector<Enqueued> written;
  written.reserve(requests.size());
  for (const NewMessage& request : requests) written.push_back(MAKEGOOD_TRY(tell(request)));
  return written;
}

Result<Enqueued> MessageWriter::write(const NewRow& row, bool may_tell) {
  MAKEGOOD_TRY(check(row, may_tell));
  if (!row.event_id.empty()) return insert_or_find(row);
  const std::string event_id = ids_->new_uuid7();
  NewRow named = row;
  named.event_id = event_id;
  return insert_or_find(named);
}

Result<> MessageWriter::check(const NewRow& row, bool may_tell) const {
  MAKEGOOD_TRY(check_transaction());
  return check_row(row, {options_.content_bytes_max, options_.topic_grammar, options_.schemas, may_tell});
}

Result<Enqueued> MessageWriter::insert_or_find(const NewRow& row) {
  if (MAKEGOOD_TRY(insert(row))) return Enqueued{.sequence = sqlite3_last_insert_rowid(db_)};
  return find(row);
}

/// False: its event is there already.
Result<bool> MessageWriter::insert(const NewRow& row) {
  Rows run(insert_);
  bind_identity(run, row);
  run.bind_borrowed(dispatch_key_parameter, NullIfEmpty{row.dispatch_key});
  run.bind_borrowed(content_type_parameter, NullIfEmpty{row.content_type});
  run.bind_borrowed(headers_parameter, NullIfEmpty{row.headers});
  run.bind_borrowed(envelope_id_parameter, NullIfEmpty{row.envelope_id});
  run.bind_borrowed(traceparent_parameter, NullIfEmpty{row.traceparent});
  run.bind_borrowed(tracestate_parameter, NullIfEmpty{row.tracestate});
  run.bind(created_at_parameter, to_milliseconds(clock_->now()));
  run.bind(available_at_parameter, milliseconds_or_null(row.available_at));
  run.bind(expires_at_parameter, milliseconds_or_null(row.expires_at));
  if (const int code = run.step(); code != SQLITE_DONE) return failure(db_, sqlite3_extended_errcode(db_));
  return sqlite3_changes(db_) != 0;
}

Result<Enqueued> MessageWriter::find(const NewRow& row) {
  Rows run(find_);
  bind_identity(run, row);
  run.bind_borrowed(dispatch_key_parameter, row.dispatch_key);
  run.bind_borrowed(content_type_parameter, row.content_type);
  run.bind_borrowed(headers_parameter, row.headers);
  if (!MAKEGOOD_TRY(run.next())) return Error{Errc::internal, "The event is there and cannot be found."};
  const bool is_same = run.integer(1) != 0;
  if (is_same) return Enqueued{.sequence = run.integer(0), .was_there = true};
  return Error{Errc::conflict, "This event id was already used for a message with other content."};
}

}  // namespace makegood::sqlite
