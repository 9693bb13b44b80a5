#include "cli/saga_tree.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "api/time_text.hpp"
#include "tests/support/value_of.hpp"

namespace makegood::cli {
namespace {

std::string drawn(const std::string& execution, bool has_colours = false) {
  const auto parsed = value_of(parse_answer(execution));
  const TimePoint now = api::time_from("2026-01-02T03:04:10Z").value();
  return fmt::format("{}", fmt::join(saga_tree(parsed, {.now = now, .has_colours = has_colours}), "\n"));
}

const std::string undone_order = R"({"executionId":"order-7","tenantId":"acme","chainName":"orderProcess","version":3,
  "state":"failed","startedAt":"2026-01-02T03:04:05.000Z","completedAt":"2026-01-02T03:04:08.200Z","key":null,
  "failure":{"step":"payment","code":"DECLINED","error":"no money","reason":null},"output":null,"open":["reserveStock"],
  "steps":[
   {"stepId":"createOrder","group":0,"state":"compensated","component":"http:orders/create",
    "compensation":"http:orders/cancel","startedAt":"2026-01-02T03:04:05.000Z","endedAt":"2026-01-02T03:04:05.080Z",
    "compensatedAt":"2026-01-02T03:04:07.100Z","attempts":[]},
   {"stepId":"payment","group":1,"state":"failed","component":"http:payments/charge","code":"DECLINED",
    "error":"no money","startedAt":"2026-01-02T03:04:05.080Z","attempts":[
     {"direction":"action","round":1,"attempt":1,"state":"retry","code":"BUSY",
      "startedAt":"2026-01-02T03:04:05.080Z","endedAt":"2026-01-02T03:04:05.090Z"},
     {"direction":"action","round":1,"attempt":2,"state":"fail","code":"DECLINED","error":"no money",
      "startedAt":"2026-01-02T03:04:06.000Z","endedAt":"2026-01-02T03:04:06.500Z"}]},
   {"stepId":"reserveStock","group":1,"state":"open","component":"http:stock/reserve","code":"TX.TIMEOUT",
    "startedAt":"2026-01-02T03:04:05.080Z","endedAt":"2026-01-02T03:04:05.100Z","attempts":[]},
   {"stepId":"confirm","group":2,"state":"ready","isPivot":true,"component":"http:stock/confirm","attempts":[]}],
  "advice":[{"why":"try to undo what is open","command":"makegood saga retry order-7 --tenant acme --reason WHY"}]})";

TEST(SagaTree, ShowsStepsTimesWhatIsOpenAndWhatToDo) {
  EXPECT_EQ(drawn(undone_order), R"(order-7  orderProcess v3  failed
  began 5 s ago, took 3.2 s, tenant acme
  payment: DECLINED
  no money

├─ ↶ createOrder         undone       80 ms  after 2.1 s, by http:orders/cancel
├─┬ side by side
│  ├─ ✗ payment          failed              DECLINED: no money
│  │      action       1.1  03:04:05.080  retry       10 ms  BUSY
│  │      action       1.2  03:04:06.000  fail       500 ms  DECLINED: no money
│  └─ ! reserveStock     OPEN         20 ms  TX.TIMEOUT
└─ · confirm (pivot)

Open: reserveStock  may be done, and is not undone

What to do:
  try to undo what is open  → makegood saga retry order-7 --tenant acme --reason WHY)");
}

TEST(SagaTree, ShowsWhatOthersHaveNoted) {
  const std::string tree = drawn(R"({"executionId":"o","tenantId":"default","chainName":"p","version":1,
    "state":"completed","startedAt":"2026-01-02T03:04:05.000Z","steps":[],"open":[],"unverified":[],"advice":[],
    "notes":[{"at":"2026-01-02T03:04:06.000Z","operator":"ann","note":"the customer called"}]})");
  EXPECT_NE(tree.find("Notes:\n  ann, 4 s ago: the customer called"), std::string::npos) << tree;
}

TEST(SagaTree, RunsOnWhileAStepIsInFlight) {
  const std::string tree = drawn(R"({"executionId":"o","tenantId":"default","chainName":"p","version":1,
    "state":"running","startedAt":"2026-01-02T03:04:05.000Z","steps":[
    {"stepId":"pay","group":0,"state":"in_flight","component":"http:pay","startedAt":"2026-01-02T03:04:08.000Z",
     "attempts":[]}],"output":null})");
  EXPECT_NE(tree.find("began 5 s ago, for 5.0 s"), std::string::npos) << tree;
  EXPECT_NE(tree.find("▸ pay"), std::string::npos) << tree;
  EXPECT_NE(tree.find("2.0 s  http:pay"), std::string::npos) << tree;
}

TEST(SagaTree, ObeysNothingThatANameTellsTheTerminal) {
  const std::string tree = drawn(R"({"executionId":"o\u001b[2J","tenantId":"default","chainName":"p","version":0,
    "state":"pending","createdAt":"2026-01-02T03:04:05.000Z","steps":[]})");
  EXPECT_EQ(tree.find('\x1b'), std::string::npos);
  EXPECT_NE(tree.find("asked for 5 s ago"), std::string::npos) << tree;
}

TEST(SagaTree, FitsOnAScreenOfAHundredColumns) {
  const std::string error = std::string(200, 'x');
  const std::string execution = R"({"executionId":"o","tenantId":"default","chainName":"p","version":1,
    "state":"waiting","startedAt":"2026-01-02T03:04:05.000Z","steps":[
    {"stepId":"pay","group":0,"state":"waiting","component":"http:pay","code":"A","error":"äöü)" +
                                error + R"(","attempts":[]}],"output":null})";
  const std::string tree = drawn(execution);
  EXPECT_NE(tree.find("A: äöüxxx"), std::string::npos) << tree;
  EXPECT_NE(tree.find("x…"), std::string::npos) << tree;
  EXPECT_EQ(tree.find(error), std::string::npos);
}

TEST(SagaTree, HasColoursOnATerminal) {
  EXPECT_NE(drawn(undone_order, true).find("\x1b[31mfailed\x1b[0m"), std::string::npos);
}

TEST(SagaTree, TellsSpansAsPeopleDo) {
  EXPECT_EQ(span_text(std::chrono::milliseconds(80)), "80 ms");
  EXPECT_EQ(span_text(std::chrono::milliseconds(1240)), "1.2 s");
  EXPECT_EQ(span_text(std::chrono::minutes(3)), "3 min");
}

}  // namespace
}  // namespace makegood::cli
