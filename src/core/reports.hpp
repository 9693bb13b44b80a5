// What a lane has to tell its observers, kept until it is taken.
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "makegood/observe.hpp"
#include "makegood/spi/store.hpp"

namespace makegood::core {

class Reports {
 public:
  /// Read for the first time, with the turn that is being decided: it counts as enqueued when that is committed.
  void fresh(const MessagePtr& message) { fresh_.push_back(message); }
  void committed() {
    if (enqueued_.empty()) std::swap(enqueued_, fresh_);  // The rule: they were taken after the last exchange.
    std::ranges::move(fresh_, std::back_inserter(enqueued_));
    fresh_.clear();
  }
  /// The turn is not ours to commit any more; whoever reads them next tells of them.
  void forget_fresh() { fresh_.clear(); }

  void settled(EndedAttempt settled) { settled_.push_back(std::move(settled)); }
  void alarm(Error alarm) { alarms_.push_back(std::move(alarm)); }
  void news(LaneNews news) { news_.push_back(std::move(news)); }
  void replayed() { ++replayed_count_; }

  std::vector<MessagePtr> take_enqueued() { return std::exchange(enqueued_, {}); }
  std::vector<EndedAttempt> take_settled() { return std::exchange(settled_, {}); }
  std::vector<Error> take_alarms() { return std::exchange(alarms_, {}); }
  std::vector<LaneNews> take_news() { return std::exchange(news_, {}); }
  std::size_t take_replayed_count() { return std::exchange(replayed_count_, 0); }

 private:
  std::vector<MessagePtr> fresh_;
  std::vector<MessagePtr> enqueued_;
  std::vector<EndedAttempt> settled_;
  std::vector<Error> alarms_;
  std::vector<LaneNews> news_;
  std::size_t replayed_count_ = 0;
};

}  // namespace makegood::core
