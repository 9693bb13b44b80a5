#include "sim/saga_database.hpp"

#include <algorithm>
#include <array>
#include <ranges>

#include "base/log_row.hpp"
#include "base/saga_json.hpp"
#include "core/mutant.hpp"

namespace makegood::sim {
namespace {

std::string headers_of(const NewMessage& message) {
  std::string text;
  for (const auto& [name, value] : message.headers) {
    text += (text.empty() ? "{\"" : ",\"") + name + "\":\"" + value + "\"";
  }
  return text.empty() ? text : text + "}";
}

MessagePtr row_of(Sequence number, const NewMessage& message, TimePoint now) {
  const std::string headers = headers_of(message);
  const std::array texts = {MessageText{&Message::event_id, message.event_id},
                            MessageText{&Message::tenant_id, message.tenant_id},
                            MessageText{&Message::topic, message.topic},
                            MessageText{&Message::content, message.payload},
                            MessageText{&Message::dispatch_key, message.dispatch_key},
                            MessageText{&Message::headers, headers}};
  auto row = new_message(texts);
  row->sequence = number;
  row->created_at = now;
  row->available_at = message.available_at.value_or(now);
  return row;
}

/// What a look has room for: first what was open and has appeared, then what lies beyond.
class Reading {
 public:
  Reading(const SagaTables& tables, const LookFor& wanted, Found& found)
      : tables_(tables), wanted_(wanted), found_(found) {}

  void read() {
    found_.looked_to = wanted_.reached;
    for (const NumberRange& range : wanted_.open.ranges()) {
      for (Sequence number = range.low; number <= range.high; ++number) read_open(number);
    }
    if (wanted_.rows_max > 0 && found_.rows.size() < wanted_.rows_max) read_beyond();
    found_.open = NumberSet(open_);
  }

 private:
  void read_open(Sequence number) {
    const auto row = tables_.log.find(number);
    const bool is_there = row != tables_.log.end();
    if (is_there && found_.rows.size() < wanted_.rows_max) {
      found_.rows.push_back(row->second);
    } else if (is_there || tables_.drawn.contains(number)) {
      open_.push_back(number);
      found_.is_more = found_.is_more || is_there;
    }
  }

  void read_beyond() {
    for (Sequence number = wanted_.reached + 1; number <= tables_.counter; ++number) {
      const auto row = tables_.log.find(number);
      if (row != tables_.log.end() && found_.rows.size() >= wanted_.rows_max) {
        found_.is_more = true;
        return;
      }
      if (row != tables_.log.end()) found_.rows.push_back(row->second);
      if (tables_.drawn.contains(number)) open_.push_back(number);
      found_.looked_to = number;
    }
  }

  const SagaTables& tables_;
  const LookFor& wanted_;
  Found& found_;
  std::vector<Sequence> open_;
};

}  // namespace

Sequence SagaDatabase::draw() {
  tables_.drawn.insert(++tables_.counter);
  return tables_.counter;
}

void SagaDatabase::append(Sequence number, const NewMessage& message) {
  if (tables_.drawn.erase(number) == 0) return;  // The database has forgotten its transaction.
  tables_.log[number] = row_of(number, message, now());
  if (is_saga_start(message.topic)) tables_.starts[{message.tenant_id, message.event_id}] = number;
}

void SagaDatabase::define(const SagaDefinition& definition) {
  auto& versions = tables_.definitions[definition.name];
  const auto version = static_cast<std::int64_t>(versions.size()) + 1;
  versions.push_back({.name = definition.name, .version = version, .document = encode(definition)});
}

std::optional<Taken> SagaDatabase::take(const Owner& owner, Duration lease, const Owner& former) {
  // One that ends further ahead than it is long was given before the clock was set back.
  const bool is_over = now() >= tables_.lease_until || tables_.lease_until > now() + lease;
  const bool is_free = tables_.owner.empty() || tables_.owner == former || is_over;
  if (!is_free) return std::nullopt;
  tables_.owner = owner;
  tables_.lease_until = now() + lease;
  ++tables_.turn;
  return Taken{
      .turn = tables_.turn, .position = tables_.position, .mark = tables_.mark, .now = now(), .incarnation = "model"};
}

Result<Found> SagaDatabase::look(const LookFor& wanted) const {
  if (wanted.owner != tables_.owner || wanted.after != tables_.turn) return Error{Errc::fenced, "another owner"};
  Found found{.now = now(), .counter = tables_.counter};
  Reading(tables_, wanted, found).read();
  return found;
}

std::vector<Sequence> SagaDatabase::unfinished(Sequence from, Sequence to, std::size_t rows_max) const {
  std::vector<Sequence> numbers;
  for (auto row = tables_.log.lower_bound(from); row != tables_.log.end() && row->first <= to; ++row) {
    if (!is_saga_start(row->second->topic) || numbers.size() >= rows_max) continue;
    if (!tables_.ends.contains(row->first) && !tables_.parked.contains(row->first)) numbers.push_back(row->first);
  }
  return numbers;
}

std::vector<Sequence> SagaDatabase::due(TimePoint now, std::size_t rows_max) const {
  std::vector<std::pair<TimePoint, Sequence>> found;
  for (const auto& [number, row] : tables_.parked) {
    if (row.due_at && *row.due_at <= now) found.emplace_back(*row.due_at, number);
  }
  std::ranges::sort(found);
  std::vector<Sequence> numbers;
  for (const auto& each : found | std::views::take(rows_max)) numbers.push_back(each.second);
  return numbers;
}

std::optional<TimePoint> SagaDatabase::next_due() const {
  std::optional<TimePoint> next;
  for (const auto& [number, row] : tables_.parked) {
    if (row.due_at && (!next || *row.due_at < *next)) next = row.due_at;
  }
  return next;
}

std::vector<SagaLoaded> SagaDatabase::load(std::span<const Sequence> executions) const {
  std::vector<SagaLoaded> loaded;
  for (const Sequence number : executions) {
    const auto row = tables_.log.find(number);
    if (row == tables_.log.end()) continue;
    SagaLoaded each{.start = row->second};
    if (const auto journal = tables_.journal.find(number); journal != tables_.journal.end()) {
      each.journal = journal->second;
    }
    if (const auto end = tables_.ends.find(number); end != tables_.ends.end()) each.end = end->second;
    const auto parked = tables_.parked.find(number);
    each.waits_for_key = parked != tables_.parked.end() && !parked->second.key.empty();
    loaded.push_back(std::move(each));
  }
  return loaded;
}

Result<Committed> SagaDatabase::commit(const SagaTurn& turn) {
  const bool is_guarded = !core::is_mutant("saga_no_fencing");
  const bool is_next = turn.turn.owner == tables_.owner && turn.turn.after == tables_.turn;
  if (is_guarded && !is_next) return Error{Errc::fenced, "another turn"};
  if (watcher_) watcher_(turn);
  write(turn);
  return Committed{.turn = tables_.turn};
}

/// Retries, and what was due already, move with the clock.
void SagaDatabase::follow_clock(const Turn& turn) {
  if (turn.set_back <= Duration::zero()) return;
  const TimePoint was = turn.position.clock + turn.set_back;
  for (auto& [number, row] : tables_.parked) {
    const std::string& cause = row.summary.waits_for;
    const bool is_attempt = cause == "retry" || cause == "circuit" || cause == "participant";
    if (row.due_at && (is_attempt || *row.due_at <= was)) *row.due_at -= turn.set_back;
  }
}

void SagaDatabase::write(const SagaTurn& turn) {
  follow_clock(turn.turn);
  ++tables_.turn;
  tables_.lease_until = now() + turn.turn.lease;
  if (turn.turn.lease == Duration::zero()) tables_.owner.clear();
  tables_.position = turn.turn.position;
  tables_.mark = turn.turn.mark;
  for (const JournalRow& row : turn.journal) tables_.journal[row.execution].push_back(row);
  for (const Sequence number : turn.reopened) tables_.ends.erase(number);
  for (const SagaEnd& end : turn.ends) tables_.ends[end.summary.execution] = end;
  for (const Sequence number : turn.unparked) tables_.parked.erase(number);
  for (const SagaParked& row : turn.parked) tables_.parked[row.summary.execution] = row;
  for (const SagaEnd& end : turn.ends) tables_.parked.erase(end.summary.execution);
  for (const SagaKeyHeld& taken : turn.keys_taken) tables_.keys[{taken.tenant_id, taken.key}] = taken;
  for (const SagaKeyHeld& left : turn.keys_left) pass_on(left);
  for (const NewMessage& message : turn.messages) tables_.messages.push_back(message);
  for (const NewMessage& request : turn.requests) {
    const bool is_there =
        is_saga_start(request.topic) && tables_.starts.contains({request.tenant_id, request.event_id});
    if (!is_there) append(draw(), request);
  }
}

void SagaDatabase::pass_on(const SagaKeyHeld& left) {
  const auto held = tables_.keys.find({left.tenant_id, left.key});
  if (held == tables_.keys.end() || held->second.execution != left.execution) return;
  for (auto& [number, row] : tables_.parked) {
    if (row.key != left.key || row.summary.tenant_id != left.tenant_id) continue;
    row.due_at = now();
    held->second.execution = number;
    held->second.id = row.summary.id;
    return;
  }
  tables_.keys.erase(held);
}

bool ModelSagaStore::is_broken() { return std::exchange(falls_, database_.falls()) != database_.falls(); }

Result<> ModelSagaStore::enter() {
  if (is_broken()) return Error{Errc::store_unavailable, "the connection broke"};
  if (std::exchange(fault_, SagaCallFault::none) == SagaCallFault::none) return {};
  return Error{Errc::store_unavailable, "the store is away"};
}

Result<std::vector<Enqueued>> ModelSagaStore::append(std::span<const NewMessage> requests) {
  std::vector<Enqueued> enqueued;
  for (const NewMessage& request : requests) {
    enqueued.push_back({.sequence = database_.draw()});
    database_.append(enqueued.back().sequence, request);
  }
  return enqueued;
}

Result<std::optional<Taken>> ModelSagaStore::take(const Owner& owner, Duration lease, const Owner& former) {
  const SagaCallFault fault = std::exchange(fault_, SagaCallFault::none);
  if (fault == SagaCallFault::before) return Error{Errc::store_unavailable, "the store is away"};
  is_broken();  // It begins anew, whatever there was before.
  auto taken = database_.take(owner, lease, former);
  if (fault == SagaCallFault::after) return Error{Errc::in_doubt, "no answer"};
  return taken;
}

Result<Found> ModelSagaStore::look(const LookFor& wanted) {
  MAKEGOOD_TRY(enter());
  return database_.look(wanted);
}

Result<std::vector<Sequence>> ModelSagaStore::unfinished(Sequence from, Sequence to, std::size_t rows_max) {
  MAKEGOOD_TRY(enter());
  return database_.unfinished(from, to, rows_max);
}

Result<std::vector<Sequence>> ModelSagaStore::due(TimePoint now, std::size_t rows_max) {
  MAKEGOOD_TRY(enter());
  return database_.due(now, rows_max);
}

Result<std::optional<TimePoint>> ModelSagaStore::next_due() {
  MAKEGOOD_TRY(enter());
  return database_.next_due();
}

Result<std::optional<Sequence>> ModelSagaStore::find(std::string_view tenant_id, std::string_view id) {
  MAKEGOOD_TRY(enter());
  const auto& starts = database_.tables().starts;
  const auto found = starts.find({std::string(tenant_id), std::string(id)});
  return found == starts.end() ? std::nullopt : std::optional(found->second);
}

Result<std::vector<SagaLoaded>> ModelSagaStore::load(std::span<const Sequence> executions) {
  MAKEGOOD_TRY(enter());
  return database_.load(executions);
}

Result<std::optional<SagaDefinitionRow>> ModelSagaStore::definition(std::string_view name, std::int64_t version) {
  MAKEGOOD_TRY(enter());
  const auto& definitions = database_.tables().definitions;
  const auto found = definitions.find(name);
  if (found == definitions.end() || found->second.empty()) return std::optional<SagaDefinitionRow>();
  const auto count = static_cast<std::int64_t>(found->second.size());
  if (version > count) return std::optional<SagaDefinitionRow>();
  return std::optional(found->second.at(static_cast<std::size_t>(version == 0 ? count - 1 : version - 1)));
}

Result<std::optional<SagaKeyHeld>> ModelSagaStore::key_holder(std::string_view tenant_id, std::string_view key) {
  MAKEGOOD_TRY(enter());
  const auto& keys = database_.tables().keys;
  const auto found = keys.find({std::string(tenant_id), std::string(key)});
  return found == keys.end() ? std::nullopt : std::optional(found->second);
}

Result<Committed> ModelSagaStore::commit(const SagaTurn& turn) {
  const SagaCallFault fault = std::exchange(fault_, SagaCallFault::none);
  if (fault == SagaCallFault::before) return Error{Errc::store_unavailable, "the store is away"};
  if (is_broken()) return Error{Errc::in_doubt, "the connection broke"};
  auto committed = database_.commit(turn);
  if (fault == SagaCallFault::after) return Error{Errc::in_doubt, "no answer"};
  return committed;
}

}  // namespace makegood::sim
