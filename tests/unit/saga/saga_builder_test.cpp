// Sagas written in C++, carried out by a node on each database.
#include "makegood/saga_builder.hpp"

#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>

#include "makegood/node.hpp"
#include "makegood/postgres_saga.hpp"
#include "makegood/sqlite_saga.hpp"
#include "tests/support/postgres_schema.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/sqlite/database.hpp"

namespace makegood {
namespace {

using namespace std::chrono_literals;

struct Order {
  std::string user;
  std::int64_t cents = 0;
};
MAKEGOOD_FIELDS(Order, user, cents)
struct Charge {
  std::string id;
};
MAKEGOOD_FIELDS(Charge, id)

constexpr Duration ends_within = 30s;
const RetryPolicy once = {.attempts_max = 1, .base = 1ms};
const RetryPolicy soon = {.attempts_max = 5, .base = 1ms, .cap = 10ms};

/// What functions were called, in their order.
class Diary {
 public:
  void write(const std::string& line) {
    const std::lock_guard lock(mutex_);
    text_ += (text_.empty() ? "" : ", ") + line;
  }
  std::string text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  std::mutex mutex_;
  std::string text_;
};

auto about(std::string_view what) {
  return [what](const Error& error) { return error.message.find(what) != std::string::npos; };
}

/// What a node is alarmed about.
class AlarmBell final : public Observer {
 public:
  void alarm(std::string_view /*log*/, const Error& error) override {
    const std::lock_guard lock(mutex_);
    alarms_.push_back(error);
    rung_.notify_all();
  }
  /// The code of the first one whose sentence has this in it.
  std::string first_about(std::string_view what) {
    std::unique_lock lock(mutex_);
    const auto is_there = [&] { return count(what) > 0; };
    if (!rung_.wait_for(lock, ends_within, is_there)) return "none";
    return std::string(to_string(std::ranges::find_if(alarms_, about(what))->code));
  }
  std::ptrdiff_t count_about(std::string_view what) {
    const std::lock_guard lock(mutex_);
    return count(what);
  }

 private:
  std::ptrdiff_t count(std::string_view what) const { return std::ranges::count_if(alarms_, about(what)); }

  std::mutex mutex_;
  std::condition_variable rung_;
  std::vector<Error> alarms_;
};

class SagaInCpp : public ::testing::Test {
 protected:
  auto charge() {
    return [this](Step&, const Order& order) -> StepResult<Charge> {
      diary_.write("charge " + order.user);
      if (order.user == "broke") return fail("NO_FUNDS");
      return Charge{"c-" + std::to_string(order.cents)};
    };
  }
  auto refund() {
    return [this](Step&, const Order&, const std::optional<Charge>& charge) {
      diary_.write("refund " + (charge ? charge->id : "?"));
    };
  }
  auto say(std::string what) {
    return [this, what](Step&, const Order&) { diary_.write(what); };
  }
  static auto refuse(std::string code) {
    return [code](Step&, const Order&) -> StepResult<> { return fail(code); };
  }

  /// Starts it, and tells how it ended.
  template <class Process>
  std::string run(const Process& process, const Order& order = {"ann", 1990}) {
    node_.add(process);
    const auto started = node_.start();
    if (!started) return started.error().message;
    return run_another(process, order, "order-1");
  }
  template <class Process>
  std::string run_another(const Process& process, const Order& order, const std::string& id) {
    application_.run("BEGIN IMMEDIATE");
    EXPECT_EQ(process.start(application_.db(), order, {.id = id}).value(), id);
    application_.run("COMMIT");
    const auto end = node_.wait_for_saga(id, ends_within).value();
    if (!end) return "not ended";
    const std::string output = end->output.empty() ? "" : " " + end->output;
    return std::string(to_string(end->summary.state)) + output;
  }

  const testing_support::TemporaryFolder folder_;
  const std::string path_ = folder_.file("shop.db");
  Diary diary_;
  Node node_ = Node::open("sqlite:" + path_).value();
  sqlite::Application application_{path_};
};

TEST_F(SagaInCpp, DoesItsStepsInTheirOrder) {
  const auto process = saga<Order>("p")
                           .step("payment", charge())
                           .compensation(refund())
                           .timeout(10s)
                           .pivot("confirm", say("confirm"))
                           .step("notify", say("notify"))
                           .output(R"({"charge":"${payment.id}"})");
  EXPECT_EQ(run(process), R"(completed {"charge":"c-1990"})");
  EXPECT_EQ(diary_.text(), "charge ann, confirm, notify");
}

TEST_F(SagaInCpp, UndoesThemWithWhatTheyAnswered) {
  const auto process =
      saga<Order>("p").step("payment", charge()).compensation(refund()).step("stock", refuse("SOLD_OUT")).no_effect();
  EXPECT_EQ(run(process), "compensated");
  EXPECT_EQ(diary_.text(), "charge ann, refund c-1990");
}

TEST_F(SagaInCpp, UndoesNothingThatCertainlyWasNotDone) {
  const auto process = saga<Order>("p").step("payment", charge()).compensation(refund());
  EXPECT_EQ(run(process, {"broke", 1}), "compensated");
  EXPECT_EQ(diary_.text(), "charge broke");
}

TEST_F(SagaInCpp, TakesAnExceptionForUnknown) {
  const auto lost = [this](Step&, const Order&) -> Charge {
    diary_.write("charge");
    throw std::runtime_error("the line went dead");
  };
  const auto process = saga<Order>("p").step("payment", lost).compensation(refund()).retry(once);
  EXPECT_EQ(run(process), "compensated");
  EXPECT_EQ(diary_.text(), "charge, refund ?");
}

TEST_F(SagaInCpp, TakesAThrownFailForAFailure) {
  const auto thrown = [](Step&, const Order&) -> Charge { throw fail("NO_FUNDS"); };
  const auto process = saga<Order>("p").step("payment", thrown).compensation(refund());
  EXPECT_EQ(run(process), "compensated");
  EXPECT_EQ(diary_.text(), "");
}

TEST_F(SagaInCpp, TriesAgainWithTheSameKey) {
  const auto busy = [this](Step& step, const Order&) -> StepResult<> {
    diary_.write(std::string(step.key()));
    if (step.attempt() < 3) return retry("BUSY");
    return {};
  };
  EXPECT_EQ(run(saga<Order>("p").step("payment", busy).no_effect().retry(soon)), "completed");
  EXPECT_EQ(diary_.text(),
            "default/order-1/payment/action/1, default/order-1/payment/action/1, default/order-1/payment/action/1");
}

TEST_F(SagaInCpp, ReadsWhatEarlierStepsHaveAnswered) {
  const auto notify = [this](Step& step, const Order& order) {
    diary_.write("notify " + order.user + " of " + step.output<Charge>("payment")->id);
    diary_.write(step.output<Charge>("gift") ? "a gift" : "no gift");
  };
  const auto process = saga<Order>("p")
                           .step("payment", charge())
                           .compensation(refund())
                           .step("gift", charge())
                           .compensation(refund())
                           .when("${input.cents} > 5000")
                           .pivot("notify", notify)
                           .reads("payment", "gift");
  EXPECT_EQ(run(process), "completed");
  EXPECT_EQ(diary_.text(), "charge ann, notify ann of c-1990, no gift");
}

TEST_F(SagaInCpp, RunsStepsBesideEachOther) {
  std::atomic<int> waiting = 0;
  const auto meet = [&](Step& step, const Order&) -> StepResult<> {
    ++waiting;
    while (waiting < 2 && !step.stop_token().stop_requested()) std::this_thread::yield();
    return {};
  };
  EXPECT_EQ(run(saga<Order>("p").step("stock", meet).no_effect().beside("payment", meet).no_effect()), "completed");
}

TEST_F(SagaInCpp, WaitsForANodeThatHasItsFunction) {
  const auto process = saga<Order>("p").step("payment", charge()).compensation(refund());
  ASSERT_EQ(run(process, {"ann", 1}), "completed");
  node_.stop(5s);
  AlarmBell bell;
  Node other = Node::open("sqlite:" + path_, {.observer = &bell}).value();
  other.add(saga<Order>("q").step("a", say("q")).no_effect()).start().value();
  node_ = Node::open("sqlite:" + path_).value();
  node_.add(process).start().value();  // It waits until the other gives up what it has.
  application_.run("BEGIN IMMEDIATE");
  process.start(application_.db(), {"bob", 2}, {.id = "order-2"}).value();
  application_.run("COMMIT");
  EXPECT_EQ(bell.first_about("fn:p.payment"), "TX.NO_ROUTE");
  EXPECT_FALSE(other.wait_for_saga("order-2", 100ms).value()) << "it was not done, and is not undone";
  other.stop(5s);
  const auto end = node_.wait_for_saga("order-2", ends_within).value();
  ASSERT_TRUE(end);
  EXPECT_EQ(end->summary.state, SagaState::completed);
  EXPECT_EQ(diary_.text(), "charge ann, charge bob");
  EXPECT_EQ(bell.count_about("fn:p.payment"), 1);
}

TEST_F(SagaInCpp, AsksAStepToStopWhenItsTimeIsOver) {
  std::promise<void> stopped;
  const auto wait = [&](Step& step, const Order&) {
    std::mutex mutex;
    std::condition_variable_any asked;
    std::unique_lock lock(mutex);
    asked.wait(lock, step.stop_token(), [] { return false; });
    stopped.set_value();
  };
  EXPECT_EQ(run(saga<Order>("p").step("wait", wait).no_effect().timeout(1s).retry(once)), "compensated");
  EXPECT_EQ(stopped.get_future().wait_for(30s), std::future_status::ready);
}

TEST_F(SagaInCpp, KeepsAnInputWithEveryByte) {
  std::string name;
  for (int byte = 0; byte < 256; ++byte) name += static_cast<char>(byte);
  std::string got;
  const auto keep = [&](Step&, const Order& order) { got = order.user; };
  EXPECT_EQ(run(saga<Order>("p").step("keep", keep).no_effect(), {name, 1}), "completed");
  EXPECT_EQ(got, name);
}

TEST_F(SagaInCpp, StartsWithTheCallersTransactionOnly) {
  const auto process = saga<Order>("p").step("payment", charge()).compensation(refund());
  node_.add(process);
  node_.start().value();
  application_.run("BEGIN IMMEDIATE");
  process.start(application_.db(), {"nobody", 1}, {.id = "rolled-back"}).value();
  application_.run("ROLLBACK");
  EXPECT_EQ(run_another(process, {"ann", 5}, "order-1"), "completed");
  EXPECT_EQ(run_another(process, {"ann", 5}, "order-1"), "completed") << "the same start is the same execution";
  EXPECT_EQ(diary_.text(), "charge ann");
  application_.run("BEGIN IMMEDIATE");
  const auto other = process.start(application_.db(), {"bob", 5}, {.id = "order-1"});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Errc::conflict);
}

TEST_F(SagaInCpp, IsRefusedWithEveryMistake) {
  const auto process = saga<Order>("p").step("payment", charge()).step("pay ment", charge()).reads("typo").timeout(-1s);
  const std::string answer = run(process);
  EXPECT_NE(answer.find("step payment does not say how it is undone"), std::string::npos) << answer;
  EXPECT_NE(answer.find("letters, digits, _ and -"), std::string::npos) << answer;
  EXPECT_NE(answer.find("typo"), std::string::npos) << answer;
  EXPECT_NE(answer.find("timeout"), std::string::npos) << answer;
  EXPECT_EQ(saga<Order>("p").timeout(1s).check().error().message, "The saga p: timeout(…) has no step before it.");
}

TEST_F(SagaInCpp, SaysWhatADocumentCanSay) {
  const SagaCall send{.uri = "http:mail/send", .input = R"({"to":"${input.user}"})"};
  const SagaDefinition definition = saga<Order>("p")
                                        .step("mail", send)
                                        .compensation(SagaCall{.uri = "http:mail/recall"})
                                        .promises(SagaPromise::keyed)
                                        .on_failure({.code = "FULL", .action = FailureAction::retry, .retries = 3})
                                        .outcome("LATE", SagaOutcome::unknown)
                                        .approval({.reason = "large"})
                                        .compensation_timeout(5s)
                                        .deadline(1h)
                                        .active_timeout(1min)
                                        .give_up_after(2h)
                                        .compensates_in_parallel()
                                        .on_end("orders.ended")
                                        .definition();
  EXPECT_EQ(definition.deadline, Duration(1h));
  EXPECT_EQ(definition.on_end_topic, "orders.ended");
  ASSERT_EQ(definition.steps.size(), 1U);
  const SagaStep& step = definition.steps[0];
  EXPECT_EQ(step.action.uri, "http:mail/send");
  EXPECT_EQ(step.compensation->uri, "http:mail/recall");
  EXPECT_EQ(step.on_failure.at(0).retries, 3U);
  EXPECT_EQ(step.outcomes.at("LATE"), SagaOutcome::unknown);
}

TEST_F(SagaInCpp, HasAStepInATransactionWithItsBarrier) {
  sqlite::Application books(folder_.file("books.db"));
  books.run("CREATE TABLE ledger (cents integer)");
  const auto database = sqlite::open_step_database(folder_.file("books.db")).value();
  const auto put = [](sqlite3* db, std::int64_t cents) {
    sqlite3_exec(db, ("INSERT INTO ledger VALUES (" + std::to_string(cents) + ")").c_str(), nullptr, nullptr, nullptr);
  };
  const auto charge = [&](Step& step, const Order& order, sqlite3* db) -> StepResult<Charge> {
    put(db, order.cents);
    if (step.attempt() == 1) return retry("LOCKED");  // What it has written goes with it.
    return Charge{"c-1"};
  };
  const auto refund = [&](Step&, const Order& order, const Charge& done, sqlite3* db) {
    diary_.write("refund " + done.id);
    put(db, -order.cents);
  };
  const auto process = saga<Order>("p")
                           .step("payment", transaction(database, charge))
                           .compensation(transaction(database, refund))
                           .retry(soon)
                           .step("stock", refuse("SOLD_OUT"))
                           .no_effect();
  EXPECT_EQ(process.definition().steps[0].participant, SagaPromise::barrier);
  EXPECT_EQ(run(process), "compensated");
  EXPECT_EQ(diary_.text(), "refund c-1");
  EXPECT_EQ(books.ask("SELECT sum(cents), count(*) FROM ledger"), "0|2");
  EXPECT_EQ(books.ask("SELECT state, answer FROM saga_barrier"), R"(undone|{"id":"c-1"})");
}

TEST(SagaInCppOnPostgres, StartsAndActsInTransactions) {
  if (testing_support::postgres_url().empty()) GTEST_SKIP() << testing_support::no_postgres;
  const testing_support::PostgresSchema schema;
  const testing_support::PostgresClient client(schema.url_within());
  client.run("CREATE TABLE ledger (cents integer)");
  const auto database = postgres::open_step_database(schema.url_within()).value();
  const auto charge = [](Step&, const Order& order, PGconn* connection) -> StepResult<Charge> {
    PQclear(PQexec(connection, ("INSERT INTO ledger VALUES (" + std::to_string(order.cents) + ")").c_str()));
    return Charge{"c-1"};
  };
  const auto refund = [](Step&, const Order&, const Charge&, PGconn* connection) {
    PQclear(PQexec(connection, "DELETE FROM ledger"));
  };
  const auto process = saga<Order>("p")
                           .step("payment", transaction(database, charge))
                           .compensation(transaction(database, refund))
                           .step("stock",
                                 [](Step&, const Order& order) -> StepResult<> {
                                   if (order.user == "late") return fail("SOLD_OUT");
                                   return {};
                                 })
                           .no_effect();
  Node node = Node::open(schema.url_within()).value();
  node.add(process).start().value();
  const auto outcome = [&](const Order& order, const std::string& id) {
    client.run("BEGIN");
    process.start(client.handle(), order, {.id = id}).value();
    client.run("COMMIT");
    const auto end = node.wait_for_saga(id, ends_within).value();
    return std::string(end ? to_string(end->summary.state) : "not ended");
  };
  EXPECT_EQ(outcome({"late", 7}, "o1"), "compensated");
  EXPECT_EQ(client.run("SELECT count(*) FROM ledger"), "0");
  EXPECT_EQ(outcome({"ann", 7}, "o2"), "completed");
  EXPECT_EQ(client.run("SELECT sum(cents) FROM ledger"), "7");
}

}  // namespace
}  // namespace makegood
