#include <algorithm>
#include <tuple>
#include <utility>

#include "stores/memory/database.hpp"
#include "stores/memory/memory.hpp"
#include "stores/memory/parked.hpp"

namespace makegood::memory {
namespace {

auto ordered_key(const Parked& row) { return std::tie(row.tenant_id, row.dispatch_key, row.destination); }

bool is_behind(const Parked& row, const Parked& head) {
  const bool is_pending = row.state == ParkedState::waiting || row.state == ParkedState::held;
  return is_pending && row.blocks && row.sequence > head.sequence && ordered_key(row) == ordered_key(head);
}

class DeadLetters final : public DeadLetterStore {
 public:
  DeadLetters(std::shared_ptr<Database> database, const Clock& clock) : database_(std::move(database)), clock_(clock) {}

  /// Never cuts between two destinations of one message: the next page begins after its number.
  Result<std::vector<DeadLetter>> list(std::string_view tenant_id, Sequence after, std::size_t rows_max) override {
    auto access = database_->access();
    const State& state = access.state();
    std::vector<DeadLetter> letters;
    for (auto entry = state.parked.lower_bound({after + 1, {}}); entry != state.parked.end(); ++entry) {
      const Parked& row = entry->second.parked;
      if (!is_dead_letter(row) || !is_of(row, tenant_id)) continue;
      if (letters.size() >= rows_max && (letters.empty() || letters.back().parked.sequence != row.sequence)) break;
      letters.push_back(dead_letter(state, entry->second));
    }
    return letters;
  }

  Result<DeadLetter> inspect(std::string_view tenant_id, Sequence sequence, std::string_view destination) override {
    auto access = database_->access();
    const auto entry = access.state().parked.find({sequence, std::string(destination)});
    if (entry == access.state().parked.end() || !is_of(entry->second.parked, tenant_id)) {
      return Error{Errc::not_found, "There is no parked delivery of this number and destination."};
    }
    return dead_letter(access.state(), entry->second);
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
    LaneView view{.counter = state.counter, .position = state.position, .routings = all_routings(state)};
    if (state.turns.empty()) return view;
    const auto& [turn, last] = *state.turns.rbegin();
    view.owner = last.owner;
    view.turn = turn;
    view.at = last.at;
    view.lease_until = last.lease_until;
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

std::unique_ptr<DeadLetterStore> open_dead_letters(std::shared_ptr<Database> database, const Clock& clock) {
  return std::make_unique<DeadLetters>(std::move(database), clock);
}

}  // namespace makegood::memory
