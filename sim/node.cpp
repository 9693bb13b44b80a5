#include "sim/node.hpp"

#include <utility>

namespace makegood::sim {

Node::Node(std::string name, std::unique_ptr<OutboxStore> store, DispatcherOptions options, std::uint64_t seed)
    : name_(std::move(name)), store_(std::move(store)), options_(std::move(options)) {
  crash(seed);
}

void Node::crash(std::uint64_t seed) {
  lane_ = std::make_unique<core::Lane>(options_, seed);
  ++life_;
  lose();
  former_.clear();
}

void Node::lose() {
  lane_->forget();
  found_.reset();
  turn_ = nullptr;
}

void Node::step(MonotonicTime now, CommitFault fault) {
  if (!lane_->is_owner()) return take(now);
  if (turn_ != nullptr) return commit(now, fault);
  if (found_) {
    turn_ = lane_->decide(std::move(*found_), now);
    found_.reset();
    return;
  }
  if (lane_->next_exchange(now) > now && !store_->has_changed()) return;
  if (auto found = store_->look(lane_->look_for(now))) found_ = std::move(*found);
}

void Node::take(MonotonicTime now) {
  const Owner owner = name_ + "-" + std::to_string(life_) + "-" + std::to_string(++taking_);
  auto taken = store_->take(owner, options_.lease, former_);
  if (!taken || !*taken) return;
  former_ = owner;
  lane_->begin(owner, std::move(**taken), now);
}

void Node::commit(MonotonicTime now, CommitFault fault) {
  if (fault == CommitFault::before) return;  // Certainly not written: the same turn is tried again.
  const Turn turn = *turn_;
  const auto answer = store_->commit(turn);
  if (!answer) {
    ++fenced_count_;
    return lose();
  }
  committed_ = turn;
  if (fault == CommitFault::lost_reply) return lose();
  turn_ = nullptr;
  lane_->committed(*answer, now);
}

MonotonicTime Node::next(MonotonicTime now) const {
  if (!lane_->is_owner() || found_ || turn_ != nullptr) return now;
  return lane_->next_exchange(now);
}

}  // namespace makegood::sim
