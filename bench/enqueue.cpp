// W1, W2: enqueue in the caller's own transaction, beside the bare INSERT of the same row.
#include <fmt/format.h>

#include <chrono>

#include "bench/application.hpp"
#include "bench/bare.hpp"
#include "bench/figure.hpp"
#include "bench/scratch.hpp"

namespace makegood::bench {
namespace {

/// Many and short ones: whatever else the machine does then falls on both alike.
constexpr int rounds = 25;
constexpr double goal_share = 0.85;
/// Of a transaction with a business row in it, to which enqueueing adds at most a tenth.
constexpr double goal_share_of_postgres = 1 / 1.10;

/// Ours on one connection and the bare INSERT on another take turns on one database, so that both see the same disk and
/// the same growth.
class Contest {
 public:
  explicit Contest(std::size_t per_transaction) : messages_(per_transaction, a_message()) {
    preload(scratch_, 0);  // Makes the tables.
    ours_ = open_application(scratch_);
    bare_ = open_bare(scratch_);
  }

  double ours(std::size_t transactions) {
    return rate(transactions, [&] { ours_->commit(messages_); });
  }
  double bare(std::size_t transactions) {
    return rate(transactions, [&] { bare_->insert(messages_.front(), messages_.size()); });
  }

 private:
  template <class Work>
  double rate(std::size_t transactions, Work work) {
    const auto began = system_clock().monotonic();
    for (std::size_t i = 0; i < transactions; ++i) work();
    const std::chrono::duration<double> took = system_clock().monotonic() - began;
    return static_cast<double>(transactions * messages_.size()) / took.count();
  }

  const std::vector<NewMessage> messages_;
  Scratch scratch_;
  std::unique_ptr<Application> ours_;
  std::unique_ptr<Bare> bare_;
};

Figure contest(std::size_t per_transaction, std::size_t transactions) {
  Contest contest(per_transaction);
  contest.bare(transactions);
  contest.ours(transactions);
  std::vector<double> ours;
  std::vector<double> bare;
  for (int round = 0; round < rounds; ++round) {
    bare.push_back(contest.bare(transactions));
    ours.push_back(contest.ours(transactions));
  }
  const double share = median_share(ours, bare);
  const bool is_postgres = Scratch::measured() == Scratch::Kind::postgres;
  return {.name = fmt::format("enqueue, {} per transaction", per_transaction),
          .unit = "messages/s",
          .value = median(ours),
          .limit = median(ours) / share,
          .goal = is_postgres ? "adds ≤ 10 % to the bare INSERT" : "≥ 85 % of the bare INSERT",
          .is_met = share >= (is_postgres ? goal_share_of_postgres : goal_share)};
}

}  // namespace

std::vector<Figure> enqueue() { return {contest(1, 400), contest(10, 200), contest(100, 60), contest(1000, 12)}; }

}  // namespace makegood::bench
