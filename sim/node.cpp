#include "sim/node.hpp"

#include <utility>

#include "core/mutant.hpp"

namespace makegood::sim {
namespace {

/// Half of them hand out in advance, as with a transport that keeps the limits of its destinations itself.
std::vector<std::string> running_ahead(std::uint64_t seed) {
  return seed % 2 == 0 ? std::vector<std::string>{} : std::vector<std::string>{"fn"};
}

}  // namespace

Node::Node(std::string name, std::unique_ptr<OutboxStore> store, DispatcherOptions options, std::uint64_t seed,
           core::Sharing sharing)
    : name_(std::move(name)), store_(std::move(store)), options_(std::move(options)), sharing_(sharing) {
  crash(seed);
}

void Node::crash(std::uint64_t seed) {
  if (new_options_) options_ = *std::exchange(new_options_, std::nullopt);
  lane_ = std::make_unique<core::Lane>(options_, seed, running_ahead(seed), sharing_);
  ++life_;
  found_.reset();
  turn_ = nullptr;
  is_stopping_ = false;
  former_.clear();
}

void Node::lose() {
  lane_->forget();
  found_.reset();
  turn_ = nullptr;
}

void Node::disconnect() {
  if (core::is_mutant("look_survives")) return;
  found_.reset();
  if (turn_ != nullptr) return lose();
  lane_->look_failed();
}

void Node::configure(const DispatcherOptions& options) { new_options_ = options; }

void Node::step(MonotonicTime now, CallFault fault, std::uint64_t seed) {
  if (new_options_ && turn_ == nullptr && !found_) {
    options_ = *std::exchange(new_options_, std::nullopt);
    lane_->configure(options_);
  }
  if (!lane_->is_owner() && is_stopping_) return crash(seed);
  if (!lane_->is_owner()) return take(now, fault);
  if (turn_ != nullptr) return commit(now, fault);
  if (found_) {
    turn_ = lane_->decide(std::move(*found_), now);
    found_.reset();
    has_decided_ = turn_ != nullptr;
    return;
  }
  if (lane_->next_exchange(now) <= now || store_->has_changed()) look(now, fault);
}

void Node::take(MonotonicTime now, CallFault fault) {
  if (fault == CallFault::before) return;
  const Owner owner = name_ + "-" + std::to_string(life_) + "-" + std::to_string(++taking_);
  auto taken = store_->take(owner, options_.lease, former_);
  if (!taken || !*taken || fault == CallFault::after) return;
  has_taken_over_ = (*taken)->is_after_death;
  former_ = owner;
  last_turn_ = (*taken)->turn;
  lane_->begin(owner, std::move(**taken), now);
}

void Node::look(MonotonicTime now, CallFault fault) {
  auto found = store_->look(lane_->look_for(now));
  if (!found && found.error().code == Errc::fenced) return lose();
  if (!found || fault != CallFault::none) return lane_->look_failed();
  found_ = std::move(*found);
}

void Node::commit(MonotonicTime now, CallFault fault) {
  if (fault == CallFault::before && !core::is_mutant("in_doubt_is_done")) return;  // Not written: tried again.
  Turn turn = *turn_;
  // A store would draw these at random; here everything is repeated with its seed.
  for (std::size_t index = 0; index < turn.messages.size(); ++index) {
    turn.messages[index].event_id = turn.owner + "/" + std::to_string(turn.after) + "." + std::to_string(index);
  }
  if (fault == CallFault::before) {
    turn_ = nullptr;
    return lane_->committed({.turn = turn.after + 1}, now);
  }
  const auto answer = store_->commit(turn);
  if (!answer) {
    was_fenced_ = true;
    return lose();
  }
  committed_ = turn;
  if (fault == CallFault::after) return lose();
  turn_ = nullptr;
  last_turn_ = answer->turn;
  lane_->committed(*answer, now);
}

void Node::drop_reports() {
  lane_->take_settled();
  lane_->take_alarms();
  lane_->take_replayed_count();
}

}  // namespace makegood::sim
