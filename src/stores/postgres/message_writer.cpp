#include "stores/postgres/message_writer.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "makegood/id.hpp"
#include "makegood_store_postgres_sql.hpp"

namespace makegood::postgres {
namespace {

constexpr std::size_t rows_per_statement = 1000;
constexpr std::size_t bytes_per_statement = std::size_t{8} << 20;

void add_text_or_null(Parameters& values, std::string_view text) { values.add(NullIfEmpty{text}); }

void add_headers(Parameters& values, std::string_view headers) {
  if (headers.empty()) return values.add_null(Type::json);
  values.add(Json{headers});
}

std::size_t bytes_of(const NewMessage& message) { return message.body ? message.body->size() : message.payload.size(); }
bool is_new(const NewMessage& message) { return message.event_id.empty() || message.is_id_drawn; }

/// Nothing that insert_plain_message does not have.
bool is_plain(const NewRow& row) {
  const bool has_times = row.available_at || row.expires_at;
  const bool has_texts =
      !row.content_type.empty() || !row.envelope_id.empty() || !row.traceparent.empty() || !row.tracestate.empty();
  return !row.is_body && row.priority == 0 && !has_times && !has_texts;
}

/// The parameters of insert_messages, but for the time.
struct MessageArrays {
  Array event_id{Type::text}, tenant_id{Type::text}, topic{Type::text}, dispatch_key{Type::text},
      priority{Type::bigint}, payload{Type::json}, body{Type::bytea}, content_type{Type::text}, headers{Type::json},
      envelope_id{Type::text}, traceparent{Type::text}, tracestate{Type::text}, available_at{Type::timestamptz},
      expires_at{Type::timestamptz};

  void add(const NewRow& row) {
    event_id.add(row.event_id);
    tenant_id.add(row.tenant_id);
    topic.add(row.topic);
    dispatch_key.add(NullIfEmpty{row.dispatch_key});
    row.priority != 0 ? priority.add(row.priority) : priority.add_null();
    (row.is_body ? body : payload).add(row.content);
    (row.is_body ? payload : body).add_null();
    content_type.add(NullIfEmpty{row.content_type});
    headers.add(NullIfEmpty{row.headers});
    envelope_id.add(NullIfEmpty{row.envelope_id});
    traceparent.add(NullIfEmpty{row.traceparent});
    tracestate.add(NullIfEmpty{row.tracestate});
    row.available_at ? available_at.add(*row.available_at) : available_at.add_null();
    row.expires_at ? expires_at.add(*row.expires_at) : expires_at.add_null();
  }
  /// Nothing that insert_plain_messages does not have.
  bool are_plain() const {
    const auto others = {&priority,    &body,       &content_type, &envelope_id,
                         &traceparent, &tracestate, &available_at, &expires_at};
    return std::ranges::all_of(others, &Array::is_all_null);
  }
  Parameters plain_parameters(std::optional<TimePoint> now) && {
    Parameters values;
    for (Array* array : {&event_id, &tenant_id, &topic, &dispatch_key, &payload, &headers}) add(*array, values);
    values.add(now);
    return values;
  }
  Parameters parameters(std::optional<TimePoint> now) && {
    Parameters values;
    for (Array* array : {&event_id, &tenant_id, &topic, &dispatch_key, &priority, &payload, &body, &content_type,
                         &headers, &envelope_id, &traceparent, &tracestate}) {
      add(*array, values);
    }
    values.add(now);
    for (Array* array : {&available_at, &expires_at}) add(*array, values);
    return values;
  }

 private:
  /// One that is NULL all over is as good empty, and costs nothing then: `unnest` fills up the shorter ones.
  static void add(Array& array, Parameters& values) {
    values.add(array.is_all_null() ? Array(array.element()) : std::move(array));
  }
};

}  // namespace

/// A message with what had to be made for it.
struct MessageWriter::Prepared {
  std::string headers;
  std::string event_id;
  TraceContext trace;
  const NewMessage* message = nullptr;

  NewRow row() const {
    NewRow row = row_of(*message, headers, trace);
    row.event_id = event_id;
    return row;
  }
  std::size_t bytes() const { return postgres::bytes_of(*message); }
  /// Drawn just now: nobody else has its event id.
  bool is_certainly_new() const { return is_new(*message); }
};

MessageWriter::MessageWriter(Run run, Options options) : run_(std::move(run)), options_(std::move(options)) {}

bool MessageWriter::is_one_statement(std::span<const NewMessage> messages) {
  std::size_t bytes = 0;
  for (const NewMessage& message : messages) bytes += postgres::bytes_of(message);
  return messages.size() <= rows_per_statement && bytes < bytes_per_statement && std::ranges::all_of(messages, is_new);
}

Result<MessageWriter::Prepared> MessageWriter::prepare(const NewMessage& message) const {
  Prepared prepared{.headers = MAKEGOOD_TRY(encode_headers(message.headers)),
                    .event_id = message.event_id.empty() ? options_.ids->new_uuid7() : message.event_id,
                    .trace = trace_of(message, options_.trace_source),
                    .message = &message};
  MAKEGOOD_TRY(check_row(prepared.row(), options_.rules));
  return prepared;
}

/// Sorted, so that two who enqueue for the same keys do not wait for each other.
Result<> MessageWriter::lock_keys(std::span<const Prepared> rows) {
  if (!options_.is_ordered) return {};
  std::set<std::pair<std::string_view, std::string_view>> keys;
  for (const Prepared& row : rows) {
    if (!row.message->dispatch_key.empty()) keys.emplace(row.message->tenant_id, row.message->dispatch_key);
  }
  for (const auto& [tenant_id, dispatch_key] : keys) {
    MAKEGOOD_TRY(run_(sql::lock_key, Parameters(tenant_id, dispatch_key)));
  }
  return {};
}

Result<Enqueued> MessageWriter::write(const NewMessage& message, std::optional<TimePoint> now) {
  const Prepared prepared = MAKEGOOD_TRY(prepare(message));
  MAKEGOOD_TRY(lock_keys({&prepared, 1}));
  return insert(prepared, now);
}

Result<std::vector<Enqueued>> MessageWriter::write(std::span<const NewMessage> messages, std::optional<TimePoint> now) {
  std::vector<Prepared> rows;
  rows.reserve(messages.size());
  for (const NewMessage& message : messages) rows.push_back(MAKEGOOD_TRY(prepare(message)));
  MAKEGOOD_TRY(lock_keys(rows));
  std::vector<Enqueued> enqueued;
  enqueued.reserve(messages.size());
  std::size_t bytes = 0;
  std::size_t begin = 0;
  for (std::size_t end = 1; end <= rows.size(); ++end) {
    bytes += rows[end - 1].bytes();
    const bool is_full = end - begin == rows_per_statement || bytes >= bytes_per_statement;
    if (!is_full && end < rows.size()) continue;
    MAKEGOOD_TRY(insert(std::span(rows).subspan(begin, end - begin), now, enqueued));
    begin = end;
    bytes = 0;
  }
  return enqueued;
}

Result<Parameters> MessageWriter::parameters(std::span<const NewMessage> messages, std::optional<TimePoint> now) const {
  MessageArrays arrays;
  for (const NewMessage& message : messages) {
    const Prepared prepared = MAKEGOOD_TRY(prepare(message));
    arrays.add(prepared.row());
  }
  return std::move(arrays).parameters(now);
}

Result<Enqueued> MessageWriter::insert(const Prepared& prepared, std::optional<TimePoint> now) {
  const NewRow row = prepared.row();
  if (prepared.is_certainly_new() && is_plain(row)) return insert_plain(row, now);
  Parameters values(row.event_id, row.tenant_id, row.topic, NullIfEmpty{row.dispatch_key}, row.priority);
  if (row.is_body) {
    values.add_null(Type::json);
    values.add(Bytes{row.content});
  } else {
    values.add(Json{row.content});
    values.add_null(Type::bytea);
  }
  add_text_or_null(values, row.content_type);
  add_headers(values, row.headers);
  for (const std::string_view text : {row.envelope_id, row.traceparent, row.tracestate}) add_text_or_null(values, text);
  for (const auto& time : {now, row.available_at, row.expires_at}) values.add(time);
  const auto sql = prepared.is_certainly_new() ? sql::insert_new_message : sql::insert_message;
  Rows rows = MAKEGOOD_TRY(run_(sql, values));
  if (rows.next()) return Enqueued{.sequence = rows.integer(0)};
  return find(row);
}

Result<Enqueued> MessageWriter::insert_plain(const NewRow& row, std::optional<TimePoint> now) {
  Parameters values(row.event_id, row.tenant_id, row.topic, NullIfEmpty{row.dispatch_key}, Json{row.content});
  add_headers(values, row.headers);
  values.add(now);
  Rows rows = MAKEGOOD_TRY(run_(sql::insert_plain_message, values));
  rows.next();
  return Enqueued{.sequence = rows.integer(0)};
}

/// Of the contents, and of what stands before each of them.
std::size_t MessageWriter::bytes_of(std::span<const Prepared> rows) {
  constexpr std::size_t length_bytes = 4;
  std::size_t bytes = 0;
  for (const Prepared& row : rows) bytes += row.bytes() + length_bytes;
  return bytes;
}

Result<> MessageWriter::insert(std::span<const Prepared> rows, std::optional<TimePoint> now,
                               std::vector<Enqueued>& enqueued) {
  if (rows.size() == 1) {
    enqueued.push_back(MAKEGOOD_TRY(insert(rows.front(), now)));
    return {};
  }
  MessageArrays arrays;
  arrays.payload.reserve(bytes_of(rows));
  for (const Prepared& row : rows) arrays.add(row.row());
  if (std::ranges::all_of(rows, &Prepared::is_certainly_new)) {
    Rows inserted =
        MAKEGOOD_TRY(arrays.are_plain() ? run_(sql::insert_plain_messages, std::move(arrays).plain_parameters(now))
                                        : run_(sql::insert_new_messages, std::move(arrays).parameters(now)));
    while (inserted.next()) enqueued.push_back({.sequence = inserted.integer(0)});
    return {};
  }
  Rows inserted = MAKEGOOD_TRY(run_(sql::insert_messages, std::move(arrays).parameters(now)));
  // In the same order; what was passed over is there already.
  bool has_next = inserted.next();
  for (const Prepared& row : rows) {
    const bool is_new = has_next && inserted.text(1) == row.event_id && inserted.text(2) == row.message->tenant_id;
    enqueued.push_back(is_new ? Enqueued{.sequence = inserted.integer(0)} : MAKEGOOD_TRY(find(row.row())));
    if (is_new) has_next = inserted.next();
  }
  return {};
}

Result<Enqueued> MessageWriter::find(const NewRow& row) {
  Parameters values(row.event_id, row.tenant_id, row.topic, row.dispatch_key, row.priority);
  if (row.is_body) {
    values.add_null(Type::text);
    values.add(Bytes{row.content});
  } else {
    values.add(row.content);
    values.add_null(Type::bytea);
  }
  for (const std::string_view text : {row.content_type, row.headers}) values.add(text);
  Rows rows = MAKEGOOD_TRY(run_(sql::find_event, values));
  if (!rows.next()) {
    return Error{Errc::store_unavailable, "The event was there, and was removed at the same moment; try again."};
  }
  if (rows.boolean(1)) return Enqueued{.sequence = rows.integer(0), .was_there = true};
  return Error{Errc::conflict, "This event id was already used for a message with other content."};
}

}  // namespace makegood::postgres
