#include "tests/crash/statement_points.hpp"

#include <array>
#include <string>

#include "tests/crash/failpoints.hpp"

namespace makegood::crash {
namespace {

/// A statement of a step, found by a part of its text, is a point.
struct StatementPoint {
  std::string_view step;
  Moment moment;
  std::string_view sql;
  std::string_view point;
};

constexpr std::array statement_points = std::to_array<StatementPoint>({
    {"migrate", Moment::ends, "BEGIN I", "migrate.begun"},
    {"migrate", Moment::begins, "CREATE TABLE \"makegood_outbox_parked\"", "migrate.half_way"},
    {"migrate", Moment::ends, "INSERT INTO makegood_migration", "migrate.recorded"},
    {"migrate", Moment::ends, "INSERT INTO \"makegood_migration\"", "migrate.recorded"},
    {"migrate", Moment::ends, "COMMIT", "migrate.committed"},
    {"enqueue", Moment::ends, "BEGIN", "enqueue.begun"},
    {"enqueue", Moment::ends, "COMMIT", "enqueue.committed"},
    {"take", Moment::ends, "BEGIN I", "take.begun"},
    {"take", Moment::ends, "INSERT INTO \"makegood_outbox_turn\"", "take.appended"},
    {"take", Moment::ends, "INSERT INTO \"makegood_saga_turn\"", "take.appended"},
    {"take", Moment::ends, "COMMIT", "take.committed"},
    {"look", Moment::ends, "BEGIN", "look.begun"},
    {"look", Moment::begins, "COMMIT", "look.read"},
    {"commit", Moment::ends, "BEGIN I", "commit.begun"},
    {"commit", Moment::ends, "INSERT INTO \"makegood_outbox_turn\"", "commit.appended"},
    {"commit", Moment::ends, "INSERT INTO \"makegood_outbox_parked\"", "commit.parked"},
    {"commit", Moment::ends, "INSERT INTO \"makegood_saga_turn\"", "commit.appended"},
    {"commit", Moment::ends, "INTO \"makegood_saga_waiting\"", "commit.parked"},
    {"commit", Moment::ends, "INSERT INTO \"makegood_saga_journal\"", "commit.journaled"},
    {"commit", Moment::ends, "INSERT INTO \"makegood_saga_end\"", "commit.ended"},
    {"commit", Moment::ends, "INSERT INTO \"makegood_outbox\" ", "commit.told"},
    {"commit", Moment::ends, "COMMIT", "commit.committed"},
    {"commit", Moment::ends, "UPDATE \"makegood_outbox_request\"", "replay.answered"},
    {"commit", Moment::begins, "INTO \"makegood_outbox_kept\"", "prune.before"},
    {"commit", Moment::ends, "INTO \"makegood_outbox_kept\"", "prune.kept"},
    {"commit", Moment::ends, "DELETE FROM \"makegood_outbox\"", "prune.log_deleted"},
    {"commit", Moment::ends, "DELETE FROM \"makegood_outbox_turn\"", "prune.turns_deleted"},
});

thread_local std::string_view current_step;

}  // namespace

void pass_statement(Moment moment, std::string_view sql) {
  for (const StatementPoint& known : statement_points) {
    const bool is_here = known.step == current_step && known.moment == moment;
    if (is_here && sql.find(known.sql) != std::string_view::npos) pass(known.point);
  }
}

void pass_in_step(std::string_view what, const std::function<void()>& last_deed) {
  const std::string point = std::string(current_step) + "." + std::string(what);
  if (is_failpoint(point)) pass(point, last_deed);
}

Step::Step(std::string_view name) : outer_(current_step) { current_step = name; }
Step::~Step() { current_step = outer_; }
std::string_view Step::current() { return current_step; }

}  // namespace makegood::crash
