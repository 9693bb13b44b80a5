#include "stores/memory/saga_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <ranges>
#include <tuple>

#include "base/saga_page.hpp"
#include "stores/memory/log.hpp"
#include "stores/memory/turns.hpp"

namespace makegood::memory {
namespace {

constexpr std::size_t counted_max = 100'000;

void remove_waiting(SagaLog& log, Sequence execution) {
  const auto row = log.waiting.find(execution);
  if (row == log.waiting.end()) return;
  if (row->second.due_at) log.due.erase({*row->second.due_at, execution});
  log.waiting.erase(row);
}

void put_waiting(SagaLog& log, const SagaParked& parked) {
  const Sequence execution = parked.summary.execution;
  remove_waiting(log, execution);
  log.waiting.emplace(execution, parked);
  if (parked.due_at) log.due.emplace(*parked.due_at, execution);
}

/// What waits for a retry, or was due already, is due so much earlier.
void set_back(SagaLog& log, const Turn& turn) {
  if (turn.set_back <= Duration::zero()) return;
  const TimePoint was = turn.position.clock + turn.set_back;
  std::vector<SagaParked> moved;
  for (const auto& [execution, row] : log.waiting) {
    const std::string& cause = row.summary.waits_for;
    const bool is_attempt = cause == "retry" || cause == "circuit" || cause == "participant";
    if (row.due_at && (is_attempt || *row.due_at <= was)) moved.push_back(row);
  }
  for (SagaParked& row : moved) {
    *row.due_at -= turn.set_back;
    put_waiting(log, row);
  }
}

Error written_before(const JournalRow& row) {
  return {Errc::conflict, "The row breaks a rule of its table.",
          fmt::format("journal of {}, revision {}", row.execution, row.revision)};
}

Error ended_before(const SagaEnd& end) {
  return {Errc::conflict, "The row breaks a rule of its table.", fmt::format("end of {}", end.summary.execution)};
}

/// Before anything is written: there is nothing to roll back then.
Result<> check(const SagaLog& log, const SagaTurn& turn) {
  std::set<std::pair<Sequence, std::int64_t>> rows;
  for (const JournalRow& row : turn.journal) {
    const std::pair key(row.execution, row.revision);
    if (log.journal.contains(key) || !rows.insert(key).second) return written_before(row);
  }
  std::set<Sequence> ended;
  for (const SagaEnd& end : turn.ends) {
    const Sequence execution = end.summary.execution;
    const bool is_there = log.ends.contains(execution) && !std::ranges::count(turn.reopened, execution);
    if (is_there || !ended.insert(execution).second) return ended_before(end);
  }
  return {};
}

void write(SagaLog& log, const SagaTurn& turn, TimePoint now) {
  for (const JournalRow& row : turn.journal) log.journal.emplace(std::pair(row.execution, row.revision), row.records);
  for (const Sequence execution : turn.reopened) log.ends.erase(execution);
  for (SagaEnd end : turn.ends) {
    end.summary.waits_for.clear();
    end.summary.ended_at = now;
    log.ends.emplace(end.summary.execution, std::move(end));
  }
  for (const Sequence execution : turn.unparked) remove_waiting(log, execution);
  for (const SagaParked& parked : turn.parked) put_waiting(log, parked);
}

/// The lowest one that waits for it is called; otherwise nobody holds it.
void pass_on(SagaLog& log, const SagaKeyHeld& left, TimePoint now) {
  const auto held = log.keys.find({left.tenant_id, left.key});
  if (held == log.keys.end() || held->second.execution != left.execution) return;
  const auto next = std::ranges::find_if(log.waiting, [&](const auto& row) {
    return row.second.key == left.key && row.second.summary.tenant_id == left.tenant_id;
  });
  if (next == log.waiting.end()) {
    log.keys.erase(held);
    return;
  }
  SagaParked called = next->second;
  called.due_at = now;
  held->second.execution = called.summary.execution;
  held->second.id = called.summary.id;
  put_waiting(log, called);
}

void write_keys(SagaLog& log, const SagaTurn& turn, TimePoint now) {
  for (const SagaKeyHeld& taken : turn.keys_taken) log.keys[{taken.tenant_id, taken.key}] = taken;
  for (const SagaKeyHeld& left : turn.keys_left) pass_on(log, left, now);
}

/// An event that is there already stays.
void tell(State& outbox, const std::vector<NewMessage>& messages, TimePoint now) {
  for (const NewMessage& message : messages) append_own(outbox, message, now);
}

void clear(SagaLog& log) {
  log.journal.clear();
  log.ends.clear();
  log.waiting.clear();
  log.due.clear();
  log.keys.clear();
  log.summary.clear();
  log.purged_count = 0;
  log.purged_before.reset();
}

bool is_finished(const SagaLog& log, Sequence execution) {
  return log.ends.contains(execution) || log.waiting.contains(execution);
}

/// Of a start that the owner holds, or has not read yet.
SagaSummary summary_of(const SagaLog& log, const Message& start) {
  if (const auto end = log.ends.find(start.sequence); end != log.ends.end()) return end->second.summary;
  if (const auto row = log.waiting.find(start.sequence); row != log.waiting.end()) return row->second.summary;
  const bool is_read = start.sequence <= log.requests.position.reached;
  return {.execution = start.sequence,
          .tenant_id = std::string(start.tenant_id),
          .id = std::string(start.event_id),
          .definition = std::string(start.topic),
          .state = is_read ? SagaState::running : SagaState::pending,
          .started_at = start.created_at};
}

bool is_wanted(const SagaFilter& filter, const SagaSummary& item) {
  return (filter.tenant_id.empty() || item.tenant_id == filter.tenant_id) &&
         (filter.definition.empty() || item.definition == filter.definition) && item.id.starts_with(filter.id_prefix) &&
         (filter.states.empty() || std::ranges::count(filter.states, item.state) > 0) &&
         (!filter.started_from || item.started_at >= *filter.started_from) &&
         (!filter.started_before || item.started_at < *filter.started_before);
}

}  // namespace

SagaLog& sagas_of(State& state) {
  if (state.sagas.empty()) state.sagas.emplace_back().requests.ids = state.ids;
  return state.sagas.front();
}

Result<Committed> commit(State& state, const SagaTurn& turn, TimePoint now) {
  SagaLog& log = sagas_of(state);
  MAKEGOOD_TRY(check_follows(log.requests, turn.turn));
  MAKEGOOD_TRY(check(log, turn));
  Committed committed = MAKEGOOD_TRY(commit(log.requests, turn.turn, now));
  if (turn.turn.is_reset) {
    clear(log);
    return committed;
  }
  set_back(log, turn.turn);
  take_back_ends(log, turn);
  write(log, turn, now);
  write_keys(log, turn, now);
  tell(state, turn.messages, now);
  keep_up(log, turn, now, committed);
  tell(log.requests, turn.requests, now);
  return committed;
}

std::vector<Sequence> unfinished(const SagaLog& log, Sequence from, Sequence to, std::size_t rows_max) {
  std::vector<Sequence> numbers;
  const auto end = log.requests.log.upper_bound(std::max(from - 1, to));
  for (auto row = log.requests.log.lower_bound(from); row != end && numbers.size() < rows_max; ++row) {
    if (is_saga_start(row->second->topic) && !is_finished(log, row->first)) numbers.push_back(row->first);
  }
  return numbers;
}

std::vector<Sequence> due_executions(const SagaLog& log, TimePoint now, std::size_t rows_max) {
  std::vector<Sequence> numbers;
  for (const auto& [due_at, execution] : log.due) {
    if (due_at > now || numbers.size() == rows_max) break;
    numbers.push_back(execution);
  }
  return numbers;
}

std::optional<Sequence> find_start(const SagaLog& log, std::string_view tenant_id, std::string_view id) {
  const auto event = log.requests.events.find({std::string(tenant_id), std::string(id)});
  if (event == log.requests.events.end()) return std::nullopt;
  const auto row = log.requests.log.find(event->second);
  const bool is_there = row != log.requests.log.end() && is_saga_start(row->second->topic);
  return is_there ? std::optional(row->first) : std::nullopt;
}

std::optional<SagaLoaded> load(const SagaLog& log, Sequence execution) {
  const auto start = log.requests.log.find(execution);
  if (start == log.requests.log.end() || !is_saga_start(start->second->topic)) return std::nullopt;
  SagaLoaded loaded{.start = start->second};
  const auto last = log.journal.lower_bound({execution + 1, 0});
  for (auto row = log.journal.lower_bound({execution, 0}); row != last; ++row) {
    loaded.journal.push_back({.execution = execution, .revision = row->first.second, .records = row->second});
  }
  if (const auto end = log.ends.find(execution); end != log.ends.end()) loaded.end = end->second;
  const auto parked = log.waiting.find(execution);
  loaded.waits_for_key = parked != log.waiting.end() && !parked->second.key.empty();
  return loaded;
}

SagaPage list_sagas(const SagaLog& log, const SagaFilter& filter, Sequence before, std::size_t rows_max,
                    std::size_t looked_max) {
  if (before == 0) before = std::numeric_limits<Sequence>::max();
  // Where the others have an index of what is rare, this one looks at everything: it is small.
  const std::size_t looked_at = are_rare(filter.states) ? log.requests.log.size() : looked_max;
  SagaSlice slice;
  std::size_t looked = 0;
  const std::ranges::subrange below(log.requests.log.begin(), log.requests.log.lower_bound(before));
  for (const auto& [sequence, start] : below | std::views::reverse) {
    if (looked++ == looked_at || slice.items.size() > rows_max) {
      slice.covered_to = sequence + 1;
      break;
    }
    if (!is_saga_start(start->topic)) continue;
    SagaSummary item = summary_of(log, *start);
    if (is_wanted(filter, item)) slice.items.push_back(std::move(item));
  }
  return page_of({std::move(slice)}, rows_max);
}

std::vector<SagaCounts> count_sagas(const SagaLog& log) {
  std::map<std::pair<std::string, SagaState>, SagaCounts> counted;
  const auto count = [&](const SagaSummary& item) {
    SagaCounts& counts = counted[{item.definition, item.state}];
    ++counts.count;
    if (item.waits_for == "participant") ++counts.unattended_count;
  };
  for (const auto& [execution, end] : log.ends) {
    if (end.summary.state != SagaState::completed) count(end.summary);
  }
  for (const auto& [execution, row] : log.waiting) count(row.summary);
  for (const Sequence execution :
       unfinished(log, settled(log.requests.position) + 1, std::numeric_limits<Sequence>::max(), counted_max)) {
    count(summary_of(log, *log.requests.log.at(execution)));
  }
  std::vector<SagaCounts> counts;
  counts.reserve(counted.size());
  for (auto& [of, each] : counted) {
    std::tie(each.definition, each.state) = of;
    counts.push_back(std::move(each));
  }
  return counts;
}

std::optional<SagaKeyHeld> key_holder(const SagaLog& log, std::string_view tenant_id, std::string_view key) {
  const auto held = log.keys.find({std::string(tenant_id), std::string(key)});
  return held == log.keys.end() ? std::nullopt : std::optional(held->second);
}

std::vector<SagaBlockedKey> blocked_keys(const SagaLog& log, std::string_view tenant_id, std::size_t rows_max) {
  std::vector<SagaBlockedKey> blocked;
  for (const auto& [name, held] : log.keys) {
    if (!tenant_id.empty() && held.tenant_id != tenant_id) continue;
    SagaBlockedKey each{.held = held, .holder_state = summary_of(log, *log.requests.log.at(held.execution)).state};
    for (const auto& [execution, row] : log.waiting) {
      if (row.key != held.key || row.summary.tenant_id != held.tenant_id) continue;
      if (each.waiting_count++ > 0) continue;
      each.first_waiting = row.summary.id;
      each.waiting_since = row.summary.started_at;
    }
    if (each.waiting_count > 0 && blocked.size() < rows_max) blocked.push_back(std::move(each));
  }
  return blocked;
}

std::vector<SagaFailures> failures(const SagaLog& log, std::string_view tenant_id, std::string_view definition,
                                   std::size_t rows_max, std::size_t looked_max) {
  std::map<std::tuple<std::string, std::string, std::string, SagaState>, SagaFailures> groups;
  const auto looked = static_cast<Sequence>(looked_max);
  const Sequence after = log.requests.log.empty() ? 0 : log.requests.log.rbegin()->first - looked;
  const auto add = [&](const SagaSummary& item) {
    const bool is_of = (tenant_id.empty() || item.tenant_id == tenant_id) &&
                       (definition.empty() || item.definition == definition) && item.execution > after;
    if (!is_of || item.code.empty() || item.state == SagaState::completed) return;
    SagaFailures& group = groups[{item.definition, item.step, item.code, item.state}];
    const bool is_first = group.count++ == 0;
    group.since = is_first ? item.started_at : std::min(group.since, item.started_at);
    group.until = is_first ? item.started_at : std::max(group.until, item.started_at);
    if (const auto newest = find_start(log, group.example_tenant, group.example); newest > item.execution) return;
    group.example_tenant = item.tenant_id;
    group.example = item.id;
  };
  for (const auto& [execution, end] : log.ends) add(end.summary);
  for (const auto& [execution, row] : log.waiting) add(row.summary);
  std::vector<SagaFailures> all;
  for (auto& [key, group] : groups) {
    std::tie(group.definition, group.step, group.code, group.state) = key;
    all.push_back(std::move(group));
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &SagaFailures::count);
  if (all.size() > rows_max) all.resize(rows_max);
  return all;
}

std::optional<SagaDefinitionRow> definition_of(const SagaLog& log, std::string_view name, std::int64_t version) {
  const std::int64_t highest = version > 0 ? version : std::numeric_limits<std::int64_t>::max();
  const auto after = log.definitions.upper_bound({std::string(name), highest});
  if (after == log.definitions.begin()) return std::nullopt;
  const SagaDefinitionRow& row = std::prev(after)->second;
  const bool is_it = row.name == name && (version == 0 || row.version == version);
  return is_it ? std::optional(row) : std::nullopt;
}

}  // namespace makegood::memory
