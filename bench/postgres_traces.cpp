#include "bench/postgres_traces.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <thread>

#include "bench/postgres_session.hpp"
#include "bench/process.hpp"

namespace makegood::bench {
namespace {

constexpr double goal_commits = 0.02;
constexpr const char* commits_sql =
    "SELECT pg_stat_get_db_xact_commit(oid) FROM pg_database WHERE datname = current_database()";
constexpr const char* wal_sql = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')";
constexpr const char* dead_sql = "SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = 'makegood_outbox'";
constexpr const char* row_versions_sql = "SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables";
constexpr const char* dead_of_sagas_sql =
    "SELECT sum(n_dead_tup) FROM pg_stat_user_tables WHERE starts_with(relname, 'makegood_saga')";
/// After which a backend has told what it did.
constexpr auto told_within = std::chrono::milliseconds(1500);

struct ProcessTimes {
  std::string parent;
  double own_ms = 0;
  double with_ended_children_ms = 0;
};

/// From /proc; the name of a process, in parentheses, may have blanks.
std::optional<ProcessTimes> times_of(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  if (text.empty()) return std::nullopt;
  std::istringstream fields(text.substr(text.rfind(')') + 2));
  std::vector<std::string> words{std::istream_iterator<std::string>(fields), {}};
  const double tick_ms = 1000 / static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto ticks = [&](std::size_t place) { return std::stod(words.at(place)) * tick_ms; };
  const double own = ticks(11) + ticks(12);
  return ProcessTimes{.parent = words.at(1), .own_ms = own, .with_ended_children_ms = own + ticks(13) + ticks(14)};
}

}  // namespace

double postgres_cpu_milliseconds(const Scratch& scratch) {
  if (!scratch.is_postgres()) return 0;
  PostgresSession session(scratch.url());
  const auto backend = times_of(fmt::format("{:.0f}", session.number("SELECT pg_backend_pid()")));
  if (!backend) return 0;  // On another machine.
  const auto server = times_of(backend->parent);
  double all = server ? server->with_ended_children_ms : 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (const auto times = times_of(name); times && times->parent == backend->parent) all += times->own_ms;
  }
  return all;
}

double all_cpu_milliseconds(const Scratch& scratch) { return cpu_milliseconds() + postgres_cpu_milliseconds(scratch); }

PostgresTraces::PostgresTraces(const Scratch& scratch) : scratch_(scratch) {
  if (!scratch.is_postgres()) return;
  PostgresSession session(scratch.url());
  commits_ = session.number(commits_sql);
  wal_bytes_ = session.number(wal_sql);
  row_versions_ = session.number(row_versions_sql);
}

std::vector<Figure> PostgresTraces::since(std::size_t count) const {
  if (!scratch_.is_postgres()) return {};
  PostgresSession session(scratch_.url());
  const auto messages = static_cast<double>(count);
  const double commits = (session.number(commits_sql) - commits_) / messages;
  const double dead = session.number(dead_sql);
  return {
      {.name = "commits of it",
       .unit = "per message",
       .value = commits,
       .goal = "≤ 0.02 beyond the producer's own",
       .is_met = commits <= goal_commits},
      {.name = "WAL of it", .unit = "bytes per message", .value = (session.number(wal_sql) - wal_bytes_) / messages},
      {.name = "dead rows in the log", .unit = "rows", .value = dead, .goal = "none", .is_met = dead == 0}};
}

std::vector<Figure> PostgresTraces::of_executions(std::size_t count) const {
  if (!scratch_.is_postgres()) return {};
  std::this_thread::sleep_for(told_within);
  PostgresSession session(scratch_.url());
  const auto executions = static_cast<double>(count);
  const double dead = session.number(dead_of_sagas_sql);
  return {{.name = "commits of it",
           .unit = "per execution",
           .value = (session.number(commits_sql) - commits_) / executions},
          {.name = "row versions of it",
           .unit = "per execution",
           .value = (session.number(row_versions_sql) - row_versions_) / executions},
          {.name = "WAL of it",
           .unit = "bytes per execution",
           .value = (session.number(wal_sql) - wal_bytes_) / executions},
          {.name = "dead rows in its tables", .unit = "rows", .value = dead, .goal = "none", .is_met = dead == 0}};
}

}  // namespace makegood::bench
