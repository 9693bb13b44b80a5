// Executions as somebody with nothing but a shell reads them; for stores that have tables.
#pragma once

#include <string>
#include <vector>

#include "tests/conformance/saga_suite.hpp"

namespace makegood::conformance {

class SagaTables : public SagaSuite {
 protected:
  static std::string document() {
    return R"({"steps": [
      {"name": "createOrder", "action": {"uri": "http:orders/create"}, "compensation": {"uri": "http:orders/cancel"}},
      {"name": "reserveStock", "action": {"uri": "http:stock/reserve"}, "compensation": {"uri": "http:stock/release"}},
      {"name": "payment", "action": {"uri": "http:payments/charge"}, "compensation": {"uri": "http:payments/refund"}},
      {"name": "notify", "action": {"uri": "http:mail/send"}}]})";
  }
  void SetUp() override {
    value_of(view().put_definition({.name = "order", .document = document(), .source = "-"}));
    take();
  }

  Sequence begin_order(const std::string& id, const std::vector<std::string>& revisions) {
    const Sequence execution = start(a_start(id, "order", "{\"total\":10}"));
    SagaTurn turn = next_turn(execution);
    std::int64_t revision = 0;
    for (const std::string& records : revisions) {
      turn.journal.push_back({.execution = execution, .revision = ++revision, .records = records});
    }
    turn.turn.position.under_way = {{"saga", {execution}}};
    commit(turn);
    return execution;
  }
  void end(Sequence execution, SagaState state, const std::string& id) {
    SagaTurn turn = next_turn(execution);
    turn.ends = {an_end(execution, state, id)};
    commit(turn);
  }
  void park(Sequence execution, SagaState state, const std::string& id) {
    SagaTurn turn = next_turn(execution);
    turn.parked = {a_parked_saga(execution, std::nullopt, id)};
    turn.parked.front().summary.state = state;
    commit(turn);
  }

  std::string ask(const std::string& sql) { return *under_test().ask(sql); }
  /// Of the view `name`, an expression of one row.
  std::string of(const std::string& name, const std::string& expression, const std::string& rows) {
    return ask("SELECT " + expression + " FROM makegood_saga_" + name + " WHERE " + rows);
  }
  std::string status(const std::string& id) { return of("execution", "status", "execution_id = '" + id + "'"); }
  /// How many of these rows there are.
  std::string count(const std::string& name, const std::string& rows) { return of(name, "count(*)", rows); }
};

}  // namespace makegood::conformance
