// What operators read; each call is one access to the database.
#include <algorithm>
#include <limits>
#include <set>

#include "base/dead_groups.hpp"
#include "base/view_filter.hpp"
#include "stores/memory/database.hpp"
#include "stores/memory/memory.hpp"
#include "stores/memory/parked.hpp"
#include "stores/memory/view.hpp"

namespace makegood::memory {
namespace {

bool is_wanted_dead(const State& state, const DeadFilter& filter, const ParkedRow& row) {
  const Parked& parked = row.parked;
  if (!is_dead_letter(parked) || !is_of(parked, filter.tenant_id)) return false;
  if (filter.state && parked.state != *filter.state) return false;
  if (!filter.destination.empty() && parked.destination != filter.destination) return false;
  if (!filter.error_code.empty() && parked.error_code != filter.error_code) return false;
  if (filter.changed_from && row.changed_at < *filter.changed_from) return false;
  if (filter.changed_until && row.changed_at >= *filter.changed_until) return false;
  const MessagePtr message = message_of(state, parked.sequence);
  return message && is_wanted_topic(filter.topic, message->topic);
}

class View final : public OutboxView {
 public:
  explicit View(std::shared_ptr<Database> database) : database_(std::move(database)) {}

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
    for (const auto* messages : {&state.log, &state.kept}) {
      for (const auto& [sequence, message] : *messages) {
        if (message->event_id != event_id || (!tenant_id.empty() && message->tenant_id != tenant_id)) continue;
        tenants.insert(message->tenant_id);
        newest = std::max(newest, sequence);
      }
    }
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
    for (auto row = state.parked.upper_bound({after.sequence, after.destination}); row != state.parked.end(); ++row) {
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
      groups.add({.topic = std::string(message_of(state, key.sequence)->topic),
                  .destination = key.destination,
                  .error_code = row.parked.error_code},
                 key.sequence, row.changed_at);
    }
    auto largest = groups.largest(rows_max);
    for (DeadGroup& group : largest) {
      group.example_error = state.parked.at({group.example, group.destination}).parked.last_error;
    }
    return largest;
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

 private:
  const std::shared_ptr<Database> database_;
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

std::unique_ptr<OutboxView> open_outbox_view(std::shared_ptr<Database> database) {
  return std::make_unique<View>(std::move(database));
}

}  // namespace makegood::memory
