// What somebody with nothing but a shell reads of executions: the tables of another system, as views.
#include "tests/conformance/saga_tables_suite.hpp"

namespace makegood::conformance {
namespace {

/// Columns that the source document names.
struct View {
  std::string name;
  std::string columns;
};
const std::vector<View> views = {
    {"execution",
     "id, execution_id, tenant_id, chain_name, status, current_step_index, failure_reason, input_data, output_data, "
     "execution_stack, started_at, completed_at, created_at, updated_at, version"},
    {"step_execution",
     "id, execution_id, step_id, component_name, status, input_data, output_data, compensate_component, "
     "needs_compensation, error_code, error_message, stack_trace, executed_at, compensated_at"},
    {"compensation_log",
     "id, execution_id, step_id, compensate_component, status, error_message, compensated_at, operator, "
     "operation_type"},
    {"manual_intervention", "id, execution_id, intervention_type, decision, reason, operator, operated_at, input_data"},
};

/// An order that cannot be paid, and is undone: the example of the source document.
const std::vector<std::string> unpaid = {
    R"([{"kind": "begun", "at": 1000000, "version": 1},
        {"kind": "started", "at": 1000000, "step": "createOrder", "round": 1, "attempt": 1,
             "body": "{\"user\": 1001}"}])",
    R"([{"kind": "answered", "at": 2000000, "step": "createOrder", "round": 1, "attempt": 1,
         "body": "{\"orderId\": \"ORD-123\"}"},
        {"kind": "started", "at": 2000000, "step": "reserveStock", "round": 1, "attempt": 1}])",
    R"([{"kind": "answered", "at": 3000000, "step": "reserveStock", "round": 1, "attempt": 1,
         "body": "{\"id\": \"RES-456\"}"},
        {"kind": "started", "at": 3000000, "step": "payment", "round": 1, "attempt": 1}])",
    R"([{"kind": "answered", "at": 5000000, "step": "payment", "round": 1, "attempt": 1, "outcome": "fail",
         "code": "INSUFFICIENT_FUNDS", "error": "answered 422"},
        {"kind": "turned_back", "at": 5000000, "step": "payment", "code": "INSUFFICIENT_FUNDS"},
        {"kind": "started", "at": 5000000, "step": "reserveStock", "direction": "compensation", "round": 1,
             "attempt": 1}])",
    R"([{"kind": "answered", "at": 5500000, "step": "reserveStock", "direction": "compensation", "round": 1,
         "attempt": 1,
         "outcome": "unknown", "code": "HTTP.500", "error": "answered 500"},
        {"kind": "started", "at": 5500000, "step": "reserveStock", "direction": "compensation", "round": 1,
             "attempt": 2}])",
    R"([{"kind": "answered", "at": 6000000, "step": "reserveStock", "direction": "compensation", "round": 1,
         "attempt": 2},
        {"kind": "started", "at": 6000000, "step": "createOrder", "direction": "compensation", "round": 1,
             "attempt": 1}])",
    R"([{"kind": "answered", "at": 7000000, "step": "createOrder", "direction": "compensation", "round": 1,
         "attempt": 1},
        {"kind": "ended", "at": 7000000, "state": "compensated"}])",
};

}  // namespace

TEST_P(SagaTables, HaveTheColumnsOfTheSourceDocument) {
  for (const View& each : views) {
    SCOPED_TRACE(each.name);
    EXPECT_EQ(ask("SELECT count(*) FROM (SELECT " + each.columns + " FROM makegood_saga_" + each.name + ") AS v"), "0");
  }
}

TEST_P(SagaTables, TellOfAnOrderThatCannotBePaid) {
  const Sequence execution = begin_order("exec-123", unpaid);
  EXPECT_EQ(status("exec-123"), "COMPENSATING");
  end(execution, SagaState::compensated, "exec-123");
  const std::string it = "tenant_id = 'default' AND execution_id = 'exec-123'";
  EXPECT_EQ(of("execution", "status", it), "COMPENSATED");
  EXPECT_EQ(of("execution", "chain_name", it), "order");
  EXPECT_EQ(of("execution", "current_step_index", it), "2");
  EXPECT_EQ(of("execution", "failure_reason", it), "DECLINED: the card was declined");
  EXPECT_EQ(of("execution", "input_data", it), "{\"total\":10}");
  EXPECT_EQ(of("execution", "output_data", it), "{\"ok\":true}");
  EXPECT_EQ(of("execution", "version", it), "7");
  EXPECT_EQ(count("execution", it + " AND completed_at IS NOT NULL AND started_at <= completed_at"), "1");
}

TEST_P(SagaTables, TellOfItsSteps) {
  begin_order("exec-123", unpaid);
  const auto step = [&](const std::string& name, const std::string& column) {
    return of("step_execution", column, "execution_id = 'exec-123' AND step_id = '" + name + "'");
  };
  EXPECT_EQ(count("step_execution", "execution_id = 'exec-123'"), "3");
  EXPECT_EQ(step("createOrder", "status"), "COMPLETED");
  EXPECT_EQ(step("createOrder", "component_name"), "http:orders/create");
  EXPECT_EQ(step("createOrder", "input_data"), "{\"user\": 1001}");
  EXPECT_EQ(step("createOrder", "output_data"), "{\"orderId\": \"ORD-123\"}");
  EXPECT_EQ(step("createOrder", "compensate_component"), "http:orders/cancel");
  EXPECT_EQ(step("reserveStock", "input_data"), "{\"total\":10}");
  EXPECT_EQ(step("payment", "status"), "FAILED");
  EXPECT_EQ(step("payment", "error_code"), "INSUFFICIENT_FUNDS");
  EXPECT_EQ(step("payment", "error_message"), "answered 422");
  EXPECT_EQ(count("step_execution", "needs_compensation AND compensated_at > executed_at"), "2");
  EXPECT_EQ(count("step_execution", "stack_trace IS NOT NULL OR step_id = 'payment' AND compensated_at IS NOT NULL"),
            "0");
}

TEST_P(SagaTables, TellWhatWasUndoneAndInWhichOrder) {
  begin_order("exec-123", unpaid);
  const auto undone = [&](const std::string& column, int place) {
    return ask("SELECT " + column + " FROM makegood_saga_compensation_log ORDER BY id LIMIT 1 OFFSET " +
               std::to_string(place));
  };
  EXPECT_EQ(count("compensation_log", "operation_type = 'AUTO' AND operator IS NULL"), "3");
  EXPECT_EQ(undone("status", 0), "FAILED");
  EXPECT_EQ(undone("error_message", 0), "answered 500");
  EXPECT_EQ(undone("step_id", 1), "reserveStock");
  EXPECT_EQ(undone("compensate_component", 1), "http:stock/release");
  EXPECT_EQ(undone("status", 1), "SUCCESS");
  EXPECT_EQ(undone("step_id", 2), "createOrder");
}

TEST_P(SagaTables, KeepTheStackOfWhatWasDone) {
  begin_order("exec-123", unpaid);
  const std::string stack = of("execution", "execution_stack", "execution_id = 'exec-123'");
  const std::size_t first = stack.find("createOrder");
  const std::size_t second = stack.find("RES-456");
  EXPECT_NE(first, std::string::npos) << stack;
  EXPECT_LT(first, second) << stack;
  EXPECT_NE(second, std::string::npos) << stack;
  EXPECT_EQ(stack.find("http:payments"), std::string::npos) << stack;
}

TEST_P(SagaTables, TellWhereAnExecutionStands) {
  start(a_start("unread"));
  EXPECT_EQ(status("unread"), "PENDING");
  EXPECT_EQ(of("execution", "version", "execution_id = 'unread'"), "1");
  EXPECT_EQ(of("execution", "current_step_index", "execution_id = 'unread'"), "0");
  EXPECT_EQ(of("execution", "execution_stack", "execution_id = 'unread'"), "[]");
  const Sequence runs = begin_order("runs", {unpaid[0], unpaid[1]});
  EXPECT_EQ(status("runs"), "RUNNING");
  EXPECT_EQ(of("step_execution", "status", "execution_id = 'runs' AND step_id = 'reserveStock'"), "RUNNING");
  park(runs, SagaState::manual, "runs");
  EXPECT_EQ(status("runs"), "MANUAL_INTERVENTION");
  EXPECT_EQ(of("execution", "failure_reason", "execution_id = 'runs'"), "DECLINED: the card was declined");
}

TEST_P(SagaTables, HaveNoRowForARequest) {
  value_of(view().append(std::vector{a_request("makegood.saga.operator", "{}")}));
  EXPECT_EQ(count("execution", "chain_name <> ''"), "0");
}

TEST_P(SagaTables, TellWhatOperatorsHaveDecided) {
  begin_order("exec-123",
              {unpaid[0],
               R"([{"kind": "round_begun", "at": 3, "step": "createOrder", "round": 2, "operator": "ann", "request": 7},
                   {"kind": "resumed", "at": 3, "step": "createOrder", "operator": "ann", "request": 7}])",
               R"([{"kind": "skipped", "at": 4, "step": "notify", "operator": "ann", "reason": "no mail", "request": 8},
                   {"kind": "paused", "at": 4, "operator": "ann", "request": 9},
                   {"kind": "resumed", "at": 4, "operator": "ann", "request": 10}])",
               R"([{"kind": "refused", "at": 5, "operator": "ann", "request": 11, "error": "It has ended."},
                   {"kind": "turned_back", "at": 5, "code": "TX.CANCELLED", "operator": "bob",
                        "reason": "a mistake", "request": 12},
                   {"kind": "resolved", "at": 6, "step": "createOrder", "outcome": "retry",
                        "operator": "bob", "request": 13},
                   {"kind": "resumed", "at": 6, "operator": "bob", "request": 13}])"});
  std::string told;
  for (int place = 0; place < 5; ++place) {
    told += ask("SELECT intervention_type || ' ' || decision || ' ' || operator || ' ' || coalesce(reason, '-') FROM "
                "makegood_saga_manual_intervention ORDER BY id LIMIT 1 OFFSET " +
                std::to_string(place)) +
            "\n";
  }
  EXPECT_EQ(told,
            "RETRY retry ann -\nSKIP skip ann no mail\nCONTINUE resume ann -\nCOMPENSATE cancel bob a mistake\n"
            "CONTINUE undone bob -\n");
  EXPECT_EQ(count("manual_intervention", "operator <> ''"), "5");
  EXPECT_EQ(of("step_execution", "status", "step_id = 'notify'"), "SKIPPED");
  EXPECT_EQ(of("compensation_log", "operation_type || ' ' || operator || ' ' || status", "step_id = 'createOrder'"),
            "MANUAL bob SUCCESS");
}

}  // namespace makegood::conformance
