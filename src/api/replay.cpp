#include "api/replay.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "api/asking.hpp"
#include "makegood/spi/registry.hpp"

namespace makegood::api {
namespace {

constexpr std::size_t page_rows = 100;

DeadFilter dead_only(DeadFilter filter, std::optional<TimePoint> until) {
  filter.state = ParkedState::dead;
  if (until) filter.changed_until = std::min(filter.changed_until.value_or(*until), *until);
  return filter;
}

class Replay final : public BulkWork {
 public:
  Replay(const ReplayWish& wish, std::unique_ptr<OutboxView> view)
      : wish_(wish),
        view_(std::move(view)),
        // A moment later than now: what is dead at this moment is part of it.
        filter_(dead_only(wish.filter, system_clock().now() + std::chrono::milliseconds(1))) {}

  Result<std::size_t> count() override { return count_for(*view_, wish_); }

  Result<std::size_t> ask_for_more(std::size_t count_max) override {
    const auto letters = MAKEGOOD_TRY(view_->list_dead(filter_, after_, std::min(page_rows, count_max)));
    for (const DeadLetter& letter : letters) {
      MAKEGOOD_TRY(ask_for(letter.parked));
      after_ = {letter.parked.sequence, letter.parked.destination};
    }
    return letters.size();
  }

  /// The owner answers in the order of asking, but for those that speak of one delivery twice.
  Result<> hear(BulkProgress& progress) override {
    while (!open_.empty()) {
      const auto answer = MAKEGOOD_TRY(view_->answer_to(open_.front()));
      if (!answer) return {};
      refusal(*answer) ? ++progress.refused : ++progress.done;
      open_.pop_front();
    }
    return {};
  }

  std::size_t open_count() const override { return open_.size(); }

 private:
  Result<> ask_for(const Parked& parked) {
    NewRequest request{.kind = RequestKind::replay,
                       .sequence = parked.sequence,
                       .destination = parked.destination,
                       .operator_name = wish_.operator_name};
    request.reason = wish_.reason;
    open_.push_back(MAKEGOOD_TRY(view_->request(request)));
    return {};
  }

  const ReplayWish& wish_;
  const std::unique_ptr<OutboxView> view_;
  const DeadFilter filter_;
  DeadCursor after_;
  std::deque<std::int64_t> open_;
};

}  // namespace

Result<std::size_t> count_for(OutboxView& view, const ReplayWish& wish) {
  const std::size_t count = MAKEGOOD_TRY(view.count_dead(dead_only(wish.filter, std::nullopt)));
  return std::min(count, wish.limit.value_or(count));
}

Result<> replay_dead(const ReplayWish& wish, const BulkControl& control, std::optional<Duration> answer_wait,
                     const TellProgress& tell) {
  Replay replay(wish, MAKEGOOD_TRY(open_outbox_view(wish.store_url, wish.outbox)));
  return carry_out(replay, {wish.rate_per_second, wish.limit, answer_wait}, control, tell);
}

}  // namespace makegood::api
