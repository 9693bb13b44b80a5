#include "tests/crash/failpoints.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <mutex>

#include "makegood/assert.hpp"

namespace makegood::crash {
namespace {

enum class Moment { begins, ends };

/// A statement of a step, found by a part of its text, is a point.
struct StatementPoint {
  std::string_view step;
  Moment moment;
  std::string_view sql;
  std::string_view point;
};

constexpr std::array statement_points = std::to_array<StatementPoint>({
    {"migrate", Moment::ends, "BEGIN IMMEDIATE", "migrate.begun"},
    {"migrate", Moment::begins, "CREATE TABLE \"makegood_outbox_parked\"", "migrate.half_way"},
    {"migrate", Moment::ends, "INSERT INTO makegood_migration", "migrate.recorded"},
    {"migrate", Moment::ends, "COMMIT", "migrate.committed"},
    {"enqueue", Moment::ends, "BEGIN IMMEDIATE", "enqueue.begun"},
    {"enqueue", Moment::ends, "COMMIT", "enqueue.committed"},
    {"take", Moment::ends, "BEGIN IMMEDIATE", "take.begun"},
    {"take", Moment::ends, "INSERT INTO \"makegood_outbox_turn\"", "take.appended"},
    {"take", Moment::ends, "COMMIT", "take.committed"},
    {"look", Moment::ends, "BEGIN", "look.begun"},
    {"look", Moment::begins, "COMMIT", "look.read"},
    {"commit", Moment::ends, "BEGIN IMMEDIATE", "commit.begun"},
    {"commit", Moment::ends, "INSERT INTO \"makegood_outbox_turn\"", "commit.appended"},
    {"commit", Moment::ends, "INSERT INTO \"makegood_outbox_parked\"", "commit.parked"},
    {"commit", Moment::ends, "COMMIT", "commit.committed"},
    {"commit", Moment::ends, "UPDATE \"makegood_outbox_request\"", "replay.answered"},
    {"commit", Moment::begins, "INTO \"makegood_outbox_kept\"", "prune.before"},
    {"commit", Moment::ends, "INTO \"makegood_outbox_kept\"", "prune.kept"},
    {"commit", Moment::ends, "DELETE FROM \"makegood_outbox\"", "prune.log_deleted"},
    {"commit", Moment::ends, "DELETE FROM \"makegood_outbox_turn\"", "prune.turns_deleted"},
});

// Guarded by mutex, except `step`, which belongs to the thread that uses SQLite.
std::mutex mutex;
Blow armed;
std::map<std::string, unsigned, std::less<>> hits;
thread_local std::string_view step;

void strike(Way way) {
  switch (way) {
    case Way::exit:
      _exit(exit_at_failpoint);
    case Way::kill:
      raise(SIGKILL);
      return;
    case Way::freeze:
      raise(SIGSTOP);
      return;
  }
}

void pass_statement(Moment moment, std::string_view sql) {
  for (const StatementPoint& known : statement_points) {
    if (known.step == step && known.moment == moment && sql.find(known.sql) != std::string_view::npos) {
      pass(known.point);
    }
  }
}

int on_trace(unsigned kind, void*, void* statement, void* detail) {
  const char* sql = sqlite3_sql(static_cast<sqlite3_stmt*>(statement));
  if (step.empty() || sql == nullptr) return 0;
  const bool is_beginning = kind == SQLITE_TRACE_STMT;
  const bool is_in_trigger = is_beginning && std::string_view(static_cast<const char*>(detail)) != sql;
  if (!is_in_trigger) pass_statement(is_beginning ? Moment::begins : Moment::ends, sql);
  return 0;
}

int on_commit(void*) {
  const std::string point = std::string(step) + ".committing";
  if (std::ranges::find(failpoints, point) != failpoints.end()) pass(point);
  return 0;
}

int watch(sqlite3* db, const char**, const sqlite3_api_routines*) {
  sqlite3_trace_v2(db, SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE, on_trace, nullptr);
  sqlite3_commit_hook(db, on_commit, nullptr);
  return SQLITE_OK;
}

}  // namespace

void arm(const Blow& blow) {
  const std::scoped_lock lock(mutex);
  armed = blow;
  MAKEGOOD_ASSERT(sqlite3_auto_extension(reinterpret_cast<void (*)()>(watch)) == SQLITE_OK);
}

void pass(std::string_view point) {
  MAKEGOOD_ASSERT(std::ranges::find(failpoints, point) != failpoints.end());
  const std::scoped_lock lock(mutex);
  auto hit = hits.find(point);
  if (hit == hits.end()) hit = hits.emplace(point, 0).first;
  if (++hit->second == armed.hit && armed.point == point) strike(armed.way);
}

void note_hits(const Chronicle& chronicle) {
  const std::scoped_lock lock(mutex);
  for (const auto& [point, count] : hits) chronicle.note({"hit", point, std::to_string(count)});
}

Step::Step(std::string_view name) : outer_(step) { step = name; }
Step::~Step() { step = outer_; }

}  // namespace makegood::crash
