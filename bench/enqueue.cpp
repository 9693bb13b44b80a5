// W1, W2: enqueue in the caller's own transaction, beside the bare INSERT of the same row.
#include <fmt/format.h>

#include <chrono>

#include "bench/bare.hpp"
#include "bench/figure.hpp"
#include "bench/scratch.hpp"
#include "makegood/assert.hpp"
#include "makegood/sqlite.hpp"

namespace makegood::bench {
namespace {

constexpr int rounds = 5;
constexpr double goal_share = 0.85;

/// Ours on one connection and the bare INSERT on another take turns on one file, so that both see the same disk and the
/// same growth.
class Contest {
 public:
  explicit Contest(std::size_t per_transaction) : per_transaction_(per_transaction) {
    MAKEGOOD_ASSERT(sqlite::migrate(ours_.handle()));
    auto enqueuer = sqlite::Enqueuer::open(ours_.handle());
    MAKEGOOD_ASSERT(enqueuer.has_value());
    enqueuer_ = std::make_unique<sqlite::Enqueuer>(std::move(*enqueuer));
    bare_ = std::make_unique<Bare>(scratch_.database());
  }

  double ours(std::size_t transactions) {
    return rate(transactions, [&] {
      ours_.run("BEGIN IMMEDIATE");
      for (std::size_t i = 0; i < per_transaction_; ++i) MAKEGOOD_ASSERT(enqueuer_->enqueue(message_));
      ours_.run("COMMIT");
    });
  }
  double bare(std::size_t transactions) {
    return rate(transactions, [&] { bare_->insert(message_, per_transaction_); });
  }

 private:
  /// A connection whose statements come after the tables.
  class Connection {
   public:
    explicit Connection(const std::string& path) {
      MAKEGOOD_ASSERT(sqlite3_open(path.c_str(), &db_) == SQLITE_OK);
      run("PRAGMA journal_mode=WAL");
      run("PRAGMA synchronous=FULL");
    }
    ~Connection() { sqlite3_close_v2(db_); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    sqlite3* handle() const { return db_; }
    void run(const char* sql) { MAKEGOOD_ASSERT(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) == SQLITE_OK); }

   private:
    sqlite3* db_ = nullptr;
  };

  template <class Work>
  double rate(std::size_t transactions, Work work) {
    const auto began = system_clock().monotonic();
    for (std::size_t i = 0; i < transactions; ++i) work();
    const std::chrono::duration<double> took = system_clock().monotonic() - began;
    return static_cast<double>(transactions * per_transaction_) / took.count();
  }

  const std::size_t per_transaction_;
  const NewMessage message_ = a_message();
  Scratch scratch_;
  Connection ours_{scratch_.database()};
  std::unique_ptr<sqlite::Enqueuer> enqueuer_;
  std::unique_ptr<Bare> bare_;
};

Figure contest(std::size_t per_transaction, std::size_t transactions) {
  Contest contest(per_transaction);
  contest.bare(transactions);
  contest.ours(transactions);
  std::vector<double> ours;
  std::vector<double> bare;
  std::vector<double> shares;
  for (int round = 0; round < rounds; ++round) {
    bare.push_back(contest.bare(transactions));
    ours.push_back(contest.ours(transactions));
    shares.push_back(ours.back() / bare.back());
  }
  return {.name = fmt::format("enqueue, {} per transaction", per_transaction),
          .unit = "messages/s",
          .value = median(ours),
          .limit = median(bare),
          .goal = "≥ 85 % of the bare INSERT",
          .is_met = median(shares) >= goal_share};
}

}  // namespace

std::vector<Figure> enqueue() { return {contest(1, 2000), contest(10, 1000), contest(100, 300), contest(1000, 60)}; }

}  // namespace makegood::bench
