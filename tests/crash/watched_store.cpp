#include "tests/crash/watched_store.hpp"

#include "tests/crash/failpoints.hpp"
#include "tests/crash/statement_points.hpp"

namespace makegood::crash {
namespace {

/// What a turn is about to say: its position, and `SEQUENCE|DESTINATION|STATE` of each exception.
void note_intent(const Chronicle& chronicle, const Turn& turn) {
  std::string parked = "-";
  for (const Turn::Change& change : turn.parked) {
    parked += "," + std::to_string(change.row.sequence) + "|" + change.row.destination + "|" +
              std::string(to_string(change.row.state));
  }
  chronicle.note({"turning", turn.owner, std::to_string(turn.after + 1), encode(turn.position), parked});
}

}  // namespace

Result<> WatchedStore::migrate() {
  const Step step("migrate");
  pass("migrate.before");
  auto migrated = ForwardingStore::migrate();
  pass("migrate.after");
  return migrated;
}

Result<std::optional<Taken>> WatchedStore::take(const Owner& owner, Duration lease, const Owner& former) {
  const Step step("take");
  pass("take.before");
  auto taken = ForwardingStore::take(owner, lease, former);
  if (!taken) {
    chronicle_.note({"take_failed", owner, to_string(taken.error().code)});
  } else if (*taken) {
    owner_ = owner;
    chronicle_.note({"taken", owner, std::to_string((*taken)->turn)});
    pass("take.after");
  }
  return taken;
}

Result<Found> WatchedStore::look(const LookFor& wanted) {
  const Step step("look");
  pass("look.before");
  auto found = ForwardingStore::look(wanted);
  if (!found) chronicle_.note({"look_failed", wanted.owner, to_string(found.error().code)});
  pass("look.after");
  return found;
}

Result<Committed> WatchedStore::commit(const Turn& turn) {
  const bool is_giving_up = turn.lease == Duration::zero();
  const Step step(is_giving_up ? "give_up" : "commit");
  pass(is_giving_up ? "give_up.before" : "commit.before");
  note_intent(chronicle_, turn);
  auto committed = ForwardingStore::commit(turn);
  if (committed) {
    chronicle_.note({"turn", turn.owner, std::to_string(committed->turn)});
    if (committed->cleaned > 0) pass("prune.after");
  } else {
    chronicle_.note({"turn_failed", turn.owner, std::to_string(turn.after + 1), to_string(committed.error().code)});
  }
  pass(is_giving_up ? "give_up.after" : "commit.after");
  return committed;
}

}  // namespace makegood::crash
