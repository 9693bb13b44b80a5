#include "tests/crash/watched_saga_store.hpp"

#include <string>

#include "tests/crash/failpoints.hpp"
#include "tests/crash/statement_points.hpp"

namespace makegood::crash {
namespace {

/// A step with a point before it and one after it.
template <class Function>
auto between_points(const std::string& step_name, Function function) {
  const Step step(step_name);
  pass(step_name + ".before");
  auto result = function();
  pass(step_name + ".after");
  return result;
}

}  // namespace

Result<> WatchedSagaStore::migrate() {
  return between_points("migrate", [&] { return ForwardingSagaStore::migrate(); });
}

Result<std::optional<Taken>> WatchedSagaStore::take(const Owner& owner, Duration lease, const Owner& former) {
  const Step step("take");
  pass("take.before");
  auto taken = ForwardingSagaStore::take(owner, lease, former);
  if (!taken || !*taken) return taken;
  owner_ = owner;
  pass("take.after");
  return taken;
}

Result<Found> WatchedSagaStore::look(const LookFor& wanted) {
  return between_points("look", [&] { return ForwardingSagaStore::look(wanted); });
}

Result<std::vector<Sequence>> WatchedSagaStore::unfinished(Sequence from, Sequence to, std::size_t rows_max) {
  return between_points("load", [&] { return ForwardingSagaStore::unfinished(from, to, rows_max); });
}

Result<std::vector<Sequence>> WatchedSagaStore::due(TimePoint now, std::size_t rows_max) {
  return between_points("load", [&] { return ForwardingSagaStore::due(now, rows_max); });
}

Result<std::optional<Sequence>> WatchedSagaStore::find(std::string_view tenant_id, std::string_view id) {
  return between_points("load", [&] { return ForwardingSagaStore::find(tenant_id, id); });
}

Result<std::vector<SagaLoaded>> WatchedSagaStore::load(std::span<const Sequence> executions) {
  return between_points("load", [&] { return ForwardingSagaStore::load(executions); });
}

Result<Committed> WatchedSagaStore::commit(const SagaTurn& turn) {
  const bool is_giving_up = turn.turn.lease == Duration::zero();
  return between_points(is_giving_up ? "give_up" : "commit", [&] { return ForwardingSagaStore::commit(turn); });
}

}  // namespace makegood::crash
