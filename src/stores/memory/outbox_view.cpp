// What operators read and ask for; each call is one access to the database.
#include <algorithm>
#include <limits>
#include <set>
#include <tuple>

#include "base/dead_groups.hpp"
#include "base/view_filter.hpp"
#include "makegood/events.hpp"
#include "stores/memory/database.hpp"
#include "stores/memory/memory.hpp"
#include "stores/memory/parked.hpp"
#include "stores/memory/view.hpp"

namespace makegood::memory {
namespace {

/// In the order of keys: after each event id.
constexpr std::string_view past_every_event = "\xff";

bool is_wanted_dead(const State& state, const DeadFilter& filter, const ParkedRow& row) {
  const Parked& parked = row.parked;
  if (!is_dead_letter(parked) || !is_of(parked, filter.tenant_id)) return false;
  if (filter.state && parked.state != *filter.state) return false;
  if (!filter.destination.empty() && parked.destination != filter.destination) return false;
  if (!filter.error_code.empty() && parked.error_code != filter.error_code) return false;
  if (filter.changed_from && row.changed_at < *filter.changed_from) return false;
  if (filter.changed_until && row.changed_at >= *filter.changed_until) return false;
  const MessagePtr message = message_of(state, parked);
  return is_wanted_topic(filter.topic, message ? message->topic : std::string_view());
}

auto ordered_key(const Parked& row) { return std::tie(row.tenant_id, row.dispatch_key, row.destination); }

bool is_behind(const Parked& row, const Parked& head) {
  const bool is_pending = row.state == ParkedState::waiting || row.state == ParkedState::held;
  return is_pending && row.blocks && row.sequence > head.sequence && ordered_key(row) == ordered_key(head);
}

class View final : public OutboxView {
 public:
  View(std::shared_ptr<Database> database, const Clock& clock) : database_(std::move(database)), clock_(clock) {}

  Result<MessagePage> list(const MessageFilter& filter, std::optional<Sequence> before, std::size_t rows_max) override {
    auto access = database_->access();
    return list_messages(access.state(), filter, before.value_or(std::numeric_limits<Sequence>::max()), rows_max);
  }

  Result<MessageView> story(Sequence sequence) override {
    auto access = database_->access();
    const MessagePtr message = message_of(access.state(), sequence);
    if (!message) return Error{Errc::not_found, "There is no such message; it may have been cleaned."};
    return tell_story(access.state(), message);
  }

  Result<Sequence> find_event(std::string_view tenant_id, std::string_view event_id) override {
    auto access = database_->access();
    const State& state = access.state();
    std::set<std::string_view> tenants;
    Sequence newest = 0;
    const auto look_at = [&](const Message& message) {
      if (message.event_id != event_id || (!tenant_id.empty() && message.tenant_id != tenant_id)) return;
      tenants.insert(message.tenant_id);
      newest = std::max(newest, message.sequence);
    };
    for (const auto& [sequence, message] : state.log) look_at(*message);
    for (const auto& [key, message] : state.kept) look_at(*message);
    if (tenants.empty())
      return Error{Errc::not_found, "There is no message with this event id; it may have been cleaned."};
    if (tenants.size() > 1) return Error{Errc::conflict, "Several tenants have an event of this id; name the tenant."};
    return newest;
  }

  Result<Backlog> backlog() override {
    auto access = database_->access();
    return count_backlog(access.state());
  }

  Result<std::vector<DeadLetter>> list_dead(const DeadFilter& filter, const DeadCursor& after,
                                            std::size_t rows_max) override {
    auto access = database_->access();
    const State& state = access.state();
    std::vector<DeadLetter> letters;
    for (auto row = state.parked.upper_bound({after.sequence, after.destination, std::string(past_every_event)});
         row != state.parked.end(); ++row) {
      if (letters.size() >= rows_max) break;
      if (is_wanted_dead(state, filter, row->second)) letters.push_back(dead_letter(state, row->second));
    }
    return letters;
  }

  Result<std::size_t> count_dead(const DeadFilter& filter) override {
    auto access = database_->access();
    const State& state = access.state();
    return static_cast<std::size_t>(std::ranges::count_if(
        state.parked, [&](const auto& entry) { return is_wanted_dead(state, filter, entry.second); }));
  }

  Result<std::vector<DeadGroup>> group_dead(const DeadFilter& filter, std::size_t rows_max) override {
    auto access = database_->access();
    const State& state = access.state();
    DeadGroups groups;
    for (const auto& [key, row] : state.parked) {
      if (!is_wanted_dead(state, filter, row)) continue;
      const MessagePtr message = message_of(state, row.parked);
      groups.add({.topic = message ? std::string(message->topic) : std::string(),
                  .destination = key.destination,
                  .error_code = row.parked.error_code},
                 key.sequence, row.changed_at);
    }
    auto largest = groups.largest(rows_max);
    for (DeadGroup& group : largest) {
      const auto example = state.parked.lower_bound({group.example, group.destination});
      group.example_error = example->second.parked.last_error;
    }
    return largest;
  }

  Result<RewindView> count_rewind(Sequence first) override {
    auto access = database_->access();
    const State& state = access.state();
    RewindView view;
    for (auto row = state.log.lower_bound(first); row != state.log.end(); ++row) {
      if (row->second->topic == anchor_topic) continue;
      ++view.row_count;
      const auto passed_by =
          std::ranges::find_if(state.turns, [&](const auto& turn) { return turn.second.settled >= row->first; });
      const bool is_repeat = passed_by != state.turns.end() && row->second->created_at < passed_by->second.at;
      view.repeat_count += is_repeat ? 1U : 0U;
    }
    return view;
  }

  Result<std::vector<RequestView>> list_requests(std::optional<std::int64_t> before, std::size_t rows_max) override {
    auto access = database_->access();
    const auto& requests = access.state().requests;
    std::vector<RequestView> newest;
    auto row = before ? requests.lower_bound(*before) : requests.end();
    while (row != requests.begin() && newest.size() < rows_max) {
      --row;
      newest.push_back(request_view(row->first, row->second));
    }
    return newest;
  }

  Result<DeadLetter> inspect(std::string_view tenant_id, Sequence sequence, std::string_view destination) override {
    auto access = database_->access();
    const ParkedRow* row = find_parked(access.state(), sequence, std::string(destination));
    if (row == nullptr || !is_of(row->parked, tenant_id)) {
      return Error{Errc::not_found, "There is no parked delivery of this number and destination."};
    }
    return dead_letter(access.state(), *row);
  }

  Result<std::vector<BlockedKey>> blocked_keys(std::size_t rows_max) override {
    auto access = database_->access();
    const State& state = access.state();
    std::vector<BlockedKey> blocked;
    std::set<std::tuple<std::string, std::string, std::string>> seen;
    for (const ParkedKey& key : state.blocking) {  // By number, so the head of a key comes before what it blocks.
      if (blocked.size() == rows_max) break;
      const Parked& head = state.parked.at(key).parked;
      if (!seen.insert(ordered_key(head)).second) continue;
      const auto waiting_count =
          std::ranges::count_if(state.parked, [&](const auto& entry) { return is_behind(entry.second.parked, head); });
      blocked.push_back({.head = head, .waiting_count = static_cast<std::size_t>(waiting_count)});
    }
    return blocked;
  }

  Result<LaneView> lane() override {
    auto access = database_->access();
    const State& state = access.state();
    LaneView view{.counter = state.counter,
                  .highest = state.log.empty() ? 0 : state.log.rbegin()->first,
                  .position = state.position,
                  .routings = all_routings(state)};
    if (state.turns.empty()) return view;
    const auto& [turn, last] = *state.turns.rbegin();
    view.owner = last.owner;
    view.turn = turn;
    view.at = last.at;
    view.lease_until = last.lease_until;
    view.stopped = last.mark.stopped;
    return view;
  }

  Result<std::int64_t> request(const NewRequest& request) override {
    auto access = database_->access();
    State& state = access.state();
    const std::int64_t id = ++state.last_request;
    state.requests.emplace(id, RequestRow{.asked = request, .created_at = clock_.now()});
    state.unanswered.insert(id);
    access.changed();
    return id;
  }

  Result<std::optional<std::string>> answer_to(std::int64_t request_id) override {
    auto access = database_->access();
    const auto request = access.state().requests.find(request_id);
    if (request == access.state().requests.end()) return Error{Errc::not_found, "There is no request of this id."};
    return request->second.answer;
  }

 private:
  const std::shared_ptr<Database> database_;
  const Clock& clock_;
};

}  // namespace

Standing standing_of(const State& state) { return {state.position, known_routings(state)}; }

RequestView request_view(std::int64_t id, const RequestRow& row) {
  return {.id = id,
          .asked = row.asked,
          .created_at = row.created_at,
          .done_at = row.done_at,
          .result = row.answer.value_or(std::string())};
}

std::unique_ptr<OutboxView> open_outbox_view(std::shared_ptr<Database> database, const Clock& clock) {
  return std::make_unique<View>(std::move(database), clock);
}

}  // namespace makegood::memory
