// W13: claims and finishes of idempotency keys, beside the raw pair of statements with the same durability.
#include <libpq-fe.h>
#include <sqlite3.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>

#include "bench/figure.hpp"
#include "bench/postgres_session.hpp"
#include "bench/scratch.hpp"
#include "makegood/claims.hpp"

namespace makegood::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int rounds = 3;
constexpr std::size_t hot_keys = 10'000;
constexpr double share_goal = 0.85;
constexpr double wait_goal = 1.3;
/// SQLite's writers do not queue: on a busy disk one of many may be left out for long.
constexpr int patience_ms = 120'000;

/// One client's connection: what a program would write for itself.
class RawKeys {
 public:
  virtual ~RawKeys() = default;
  /// INSERT … ON CONFLICT DO NOTHING; true: it was new.
  virtual bool put(const std::string& key) = 0;
  /// UPDATE … by key.
  virtual void finish(const std::string& key) = 0;
};

constexpr const char* raw_table =
    "CREATE TABLE IF NOT EXISTS raw_key (tenant text, key text, hash text, status text, result text, expires_at text,"
    " PRIMARY KEY (tenant, key))";

void stop_unless(bool is_right, const char* what) {
  if (is_right) return;
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

class RawSqlite final : public RawKeys {
 public:
  explicit RawSqlite(const std::string& path) {
    stop_unless(sqlite3_open(path.c_str(), &db_) == SQLITE_OK, "the database cannot be opened");
    sqlite3_busy_timeout(db_, patience_ms);
    run("PRAGMA journal_mode=WAL");
    run("PRAGMA synchronous=FULL");
    run(raw_table);
    put_ = prepare("INSERT INTO raw_key VALUES ('t', ?1, 'h', 'in_flight', '', '2030') ON CONFLICT DO NOTHING");
    finish_ = prepare("UPDATE raw_key SET status = 'succeeded', result = 'd' WHERE tenant = 't' AND key = ?1");
  }
  ~RawSqlite() override {
    sqlite3_finalize(put_);
    sqlite3_finalize(finish_);
    sqlite3_close(db_);
  }
  bool put(const std::string& key) override {
    step(put_, key);
    return sqlite3_changes(db_) > 0;
  }
  void finish(const std::string& key) override { step(finish_, key); }

 private:
  void run(const char* sql) {
    stop_unless(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) == SQLITE_OK, sqlite3_errmsg(db_));
  }
  sqlite3_stmt* prepare(const char* sql) {
    sqlite3_stmt* statement = nullptr;
    stop_unless(sqlite3_prepare_v2(db_, sql, -1, &statement, nullptr) == SQLITE_OK, sql);
    return statement;
  }
  void step(sqlite3_stmt* statement, const std::string& key) {
    sqlite3_bind_text(statement, 1, key.data(), static_cast<int>(key.size()), SQLITE_STATIC);
    stop_unless(sqlite3_step(statement) == SQLITE_DONE, sqlite3_errmsg(db_));
    sqlite3_reset(statement);
  }

  sqlite3* db_ = nullptr;
  sqlite3_stmt* put_ = nullptr;
  sqlite3_stmt* finish_ = nullptr;
};

class RawPostgres final : public RawKeys {
 public:
  explicit RawPostgres(const std::string& url) : session_(url) {
    session_.check(PQprepare(
        session_.handle(), "put",
        "INSERT INTO raw_key VALUES ('t', $1, 'h', 'in_flight', '', '2030') ON CONFLICT DO NOTHING", 1, nullptr));
    session_.check(PQprepare(session_.handle(), "finish",
                             "UPDATE raw_key SET status = 'succeeded', result = 'd' WHERE tenant = 't' AND key = $1", 1,
                             nullptr));
  }
  bool put(const std::string& key) override { return run("put", key) == "1"; }
  void finish(const std::string& key) override { run("finish", key); }

 private:
  std::string run(const char* name, const std::string& key) {
    const char* value = key.c_str();
    const auto answer = session_.check(PQexecPrepared(session_.handle(), name, 1, &value, nullptr, nullptr, 0));
    return PQcmdTuples(answer.get());
  }
  PostgresSession session_;
};

std::unique_ptr<RawKeys> raw_client(const Scratch& scratch) {
  if (scratch.is_postgres()) return std::make_unique<RawPostgres>(scratch.url());
  return std::make_unique<RawSqlite>(scratch.url().substr(std::string_view("sqlite:").size()));
}

struct Measured {
  double per_second = 0;
  double p99_ms = 0;
};

/// `operate(client, i)` as the i-th operation of each client.
Measured measure(int clients, int operations, const std::function<void(int, int)>& operate) {
  std::vector<std::vector<double>> waits(static_cast<std::size_t>(clients));
  const auto began = Clock::now();
  {
    std::vector<std::jthread> threads;
    for (int client = 0; client < clients; ++client) {
      threads.emplace_back([&, client] {
        for (int i = 0; i < operations; ++i) {
          const auto asked = Clock::now();
          operate(client, i);
          waits[static_cast<std::size_t>(client)].push_back(
              std::chrono::duration<double, std::milli>(Clock::now() - asked).count());
        }
      });
    }
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  std::vector<double> all;
  for (const auto& own : waits) all.insert(all.end(), own.begin(), own.end());
  return {static_cast<double>(all.size()) / seconds, percentile(all, 0.99)};
}

/// Which key an operation has: new ones, or mostly one of many that are known.
std::string key_of(bool is_hot, int round, int client, int i) {
  if (is_hot && i % 10 != 0) return "hot" + std::to_string((client * 7919 + i * 31) % static_cast<int>(hot_keys));
  return std::to_string(round) + "-" + std::to_string(client) + "-" + std::to_string(i);
}

/// One of both, in turn, on a database of each.
class Contest {
 public:
  explicit Contest(int clients) : idempotency_(Idempotency::open(ours_.url()).value()) {
    if (raw_.is_postgres()) PostgresSession(raw_.url()).run(raw_table);
    for (int i = 0; i < clients; ++i) clients_.push_back(raw_client(raw_));
  }

  Measured ours(int operations, bool is_hot, int round) {
    return measure(static_cast<int>(clients_.size()), operations, [&](int client, int i) {
      Claim claim =
          idempotency_.claim({.key = {.scope = "s", .key = key_of(is_hot, round, client, i)}, .fingerprint = "h"})
              .value();
      if (claim.is_fresh()) claim.finish({.digest = "d"}).value();
    });
  }
  Measured raw(int operations, bool is_hot, int round) {
    return measure(static_cast<int>(clients_.size()), operations, [&](int client, int i) {
      RawKeys& keys = *clients_[static_cast<std::size_t>(client)];
      const std::string key = key_of(is_hot, round, client, i);
      if (keys.put(key)) keys.finish(key);
    });
  }

 private:
  Scratch ours_;
  Scratch raw_;
  Idempotency idempotency_;
  std::vector<std::unique_ptr<RawKeys>> clients_;
};

void compare(std::vector<Figure>& figures, const std::string& name, int clients, int operations, bool is_hot) {
  Contest contest(clients);
  std::vector<double> ours, raw, our_waits, raw_waits;
  for (int round = 0; round < rounds; ++round) {
    const Measured mine = contest.ours(operations, is_hot, round);
    const Measured bare = contest.raw(operations, is_hot, round);
    ours.push_back(mine.per_second);
    raw.push_back(bare.per_second);
    our_waits.push_back(mine.p99_ms);
    raw_waits.push_back(bare.p99_ms);
  }
  figures.push_back({.name = name,
                     .unit = "1/s",
                     .value = median(ours),
                     .limit = median(raw),
                     .goal = "85 % of the raw pair",
                     .is_met = median_share(ours, raw) >= share_goal});
  figures.push_back({.name = name + ", p99",
                     .unit = "ms",
                     .value = median(our_waits),
                     .limit = median(raw_waits),
                     .goal = "1.3 times the raw pair",
                     .is_met = median_share(our_waits, raw_waits) <= wait_goal});
}

/// 32 clients on one key: how many were told that it is theirs.
Figure wrong_hits() {
  constexpr int clients = 32;
  constexpr int keys = 20;
  const Scratch scratch;
  std::vector<std::unique_ptr<IdempotencyStore>> stores;
  for (int i = 0; i < clients; ++i) stores.push_back(open_idempotency_store(scratch.url()).value());
  std::atomic<int> fresh = 0;
  measure(clients, keys, [&](int client, int i) {
    const auto answer = stores[static_cast<std::size_t>(client)]->claim(
        ClaimRequest{.key = {.key = std::to_string(i)}, .fingerprint = "h"});
    if (answer && answer->outcome == ClaimOutcome::fresh) ++fresh;
  });
  return {.name = "32 clients on one key, effects per key",
          .unit = "1",
          .value = static_cast<double>(fresh) / keys,
          .goal = "exactly 1",
          .is_met = fresh == keys};
}

}  // namespace

std::vector<Figure> idempotency() {
  std::vector<Figure> figures;
  for (const int clients : {1, 8, 32}) {
    const std::string with = ", " + std::to_string(clients) + " clients";
    compare(figures, "new keys" + with, clients, clients == 1 ? 400 : 100, false);
    compare(figures, "90 % replays" + with, clients, clients == 1 ? 2000 : 500, true);
  }
  figures.push_back(wrong_hits());
  return figures;
}

}  // namespace makegood::bench
