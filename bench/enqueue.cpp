// W1, W2: enqueue in the caller's own transaction with its business row, beside the bare INSERTs of the same rows.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <thread>

#include "bench/application.hpp"
#include "bench/bare.hpp"
#include "bench/figure.hpp"
#include "bench/pgbench.hpp"
#include "bench/process.hpp"
#include "bench/scratch.hpp"

namespace makegood::bench {
namespace {

/// Many and short ones: whatever else the machine does then falls on both alike.
constexpr int rounds = 25;
constexpr double goal_share = 0.85;
/// Of a transaction with a business row in it, to which enqueueing adds at most a tenth.
constexpr double goal_share_of_postgres = 1 / 1.10;

/// Ours on some connections and the bare INSERT on others take turns on one database, so that both see the same disk
/// and the same growth.
class Contest {
 public:
  Contest(std::size_t per_transaction, std::size_t clients) : messages_(per_transaction, a_message()) {
    preload(scratch_, 0);  // Makes the tables.
    for (std::size_t client = 0; client < clients; ++client) {
      ours_.push_back(open_application(scratch_.url()));
      bare_.push_back(open_bare(scratch_));
    }
  }

  const Scratch& scratch() const { return scratch_; }
  double ours(std::size_t transactions) {
    return rate(ours_, transactions, [&](Application& application) { application.commit(messages_); });
  }
  double bare(std::size_t transactions) {
    return rate(bare_, transactions, [&](Bare& bare) { bare.order(messages_.front(), messages_.size()); });
  }

 private:
  template <class Client, class Work>
  double rate(const std::vector<std::unique_ptr<Client>>& clients, std::size_t transactions, Work work) {
    const auto began = system_clock().monotonic();
    {
      std::vector<std::jthread> threads;
      for (const auto& client : clients)
        threads.emplace_back([&] {
          for (std::size_t i = 0; i < transactions; ++i) work(*client);
        });
    }
    return static_cast<double>(clients.size() * transactions * messages_.size()) / seconds_since(began);
  }

  const std::vector<NewMessage> messages_;
  Scratch scratch_;
  std::vector<std::unique_ptr<Application>> ours_;
  std::vector<std::unique_ptr<Bare>> bare_;
};

struct Size {
  std::size_t per_transaction, transactions;
  std::size_t clients = 1;
};

std::string name_of(const Size& size) {
  const std::string name = fmt::format("enqueue, {} per transaction", size.per_transaction);
  return size.clients == 1 ? name : fmt::format("{}, {} clients", name, size.clients);
}

Figure measure(Contest& contest, const Size& size) {
  contest.bare(size.transactions);
  contest.ours(size.transactions);
  std::vector<double> ours;
  std::vector<double> bare;
  for (int round = 0; round < rounds; ++round) {
    bare.push_back(contest.bare(size.transactions));
    ours.push_back(contest.ours(size.transactions));
  }
  const double share = median_share(ours, bare);
  const bool is_postgres = Scratch::measured() == Scratch::Kind::postgres;
  return {.name = name_of(size),
          .unit = "messages/s",
          .value = median(ours),
          .limit = median(ours) / share,
          .goal = is_postgres ? "adds ≤ 10 % to the bare INSERT" : "≥ 85 % of the bare INSERT",
          .is_met = share >= (is_postgres ? goal_share_of_postgres : goal_share)};
}

/// What a commit costs at all, for whoever wants to know why the two above are not faster.
void add_commits(std::vector<Figure>& figures, const Contest& contest, std::size_t clients) {
  const auto commits = commits_by_pgbench(contest.scratch(), clients);
  if (!commits) return;
  figures.push_back({.name = fmt::format("pgbench: INSERT of a business row, {} clients", clients),
                     .unit = "commits/s",
                     .value = *commits});
}

std::vector<Figure> contest(const Size& size) {
  Contest contest(size.per_transaction, size.clients);
  std::vector<Figure> figures = {measure(contest, size)};
  if (Scratch::measured() == Scratch::Kind::postgres && size.per_transaction == 1)
    add_commits(figures, contest, size.clients);
  return figures;
}

}  // namespace

std::vector<Figure> enqueue() {
  std::vector<Size> sizes = {{1, 400}, {10, 200}, {100, 60}, {1000, 12}};
  // SQLite has one writer at a time.
  if (Scratch::measured() == Scratch::Kind::postgres) sizes.insert(sizes.begin() + 1, {{1, 100, 8}, {1, 40, 32}});
  std::vector<Figure> figures;
  for (const Size& size : sizes) std::ranges::move(contest(size), std::back_inserter(figures));
  return figures;
}

}  // namespace makegood::bench
