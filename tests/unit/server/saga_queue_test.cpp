// Starts of sagas over REST: what shares a commit, and who hears what when.
#include "server/saga_queue.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>

#include "makegood/handlers.hpp"
#include "makegood/saga.hpp"
#include "makegood/spi/registry.hpp"
#include "server/saga_waits.hpp"
#include "tests/support/event.hpp"
#include "tests/support/temporary_folder.hpp"

namespace makegood::server {
namespace {

using namespace std::chrono_literals;
using testing_support::Event;

constexpr auto long_wait = 30s;

struct Heard {
  std::atomic<int> status = 0;
  std::string body;  ///< To be read once it is answered.
  Event answered;
};

class WaitingCaller final : public Caller {
 public:
  explicit WaitingCaller(Heard& heard) : heard_(heard) {}
  void answer(api::Answer answer) override {
    heard_.status = answer.status;
    heard_.body = std::move(answer.body);
    heard_.answered.happen();
  }

 private:
  Heard& heard_;
};

/// Tells the queue, as the daemon's observers do.
class Teller final : public Observer {
 public:
  explicit Teller(SagaQueue* queue) : queue_(queue) {}
  void sagas(std::string_view, std::span<const SagaNews> news) override {
    if (queue_ != nullptr) queue_->tell(news);
  }
  void saga_figures(std::string_view, const SagaFigures& figures) override {
    if (queue_ != nullptr) queue_->tell(figures);
  }

 private:
  SagaQueue* queue_;
};

SagaDefinition a_short_one() {
  return {.name = "short",
          .steps = {{.name = "only", .action = {.uri = "fn:nothing"}, .compensation = SagaCall{.uri = "fn:nothing"}}}};
}

class StartQueue : public testing::Test {
 protected:
  StartQueue() {
    EXPECT_TRUE(open_saga_store(url_).has_value());
    EXPECT_TRUE(put_definition(*open_saga_view(url_).value(), a_short_one()).has_value());
    add_participant(handlers_, "nothing", [](const SagaStepInput&) { return SagaStepResult::ok(); });
    queue_.emplace(SagaQueue::Parts{.open = [this]() -> Result<api::SagaAccess> {
                                      return api::SagaAccess{MAKEGOOD_TRY(open_saga_store(url_, {}, false)),
                                                             MAKEGOOD_TRY(open_saga_view(url_))};
                                    },
                                    .deliver =
                                        [](std::vector<Reply> replies) {
                                          for (Reply& reply : replies) reply.to->answer(std::move(reply.answer));
                                        },
                                    .started =
                                        [this] {
                                          committed_.happen();
                                          if (is_held_) released_.await();
                                          if (orchestrator_) orchestrator_->wake();
                                        }});
  }

  static StartTask task(Heard& heard, const std::string& id, Duration wait, const std::string& definition = "short",
                        const std::string& input = "{}") {
    return {.call = {.row = {.topic = definition, .payload = input, .event_id = id}, .wait = wait},
            .caller = std::make_shared<WaitingCaller>(heard)};
  }
  void orchestrate(SagaQueue* told) {
    teller_.emplace(told);
    orchestrator_.emplace(open_saga_store(url_).value(), std::vector{&handlers_.transport()}, SagaOptions{},
                          SagaOrchestrator::ParticipantSource(), &*teller_);
    orchestrator_->start();
  }
  /// While the first commit is held, the others gather.
  void gather(std::vector<StartTask> others) {
    is_held_ = true;
    queue_->push(task(first_, "first", {}));
    EXPECT_TRUE(committed_.await());
    for (StartTask& other : others) queue_->push(std::move(other));
    is_held_ = false;
    released_.happen();
  }

  const testing_support::TemporaryFolder folder_;
  const std::string url_ = "sqlite:" + folder_.file("sagas.db");
  Heard first_;
  Event committed_;
  Event released_;
  std::atomic<bool> is_held_ = false;
  Handlers handlers_;
  std::optional<Teller> teller_;
  std::optional<SagaOrchestrator> orchestrator_;
  std::optional<SagaQueue> queue_;
};

TEST_F(StartQueue, PutsWhatComesDuringACommitIntoTheNext) {
  std::array<Heard, 5> heard;
  std::vector<StartTask> tasks;
  for (std::size_t i = 0; i < heard.size(); ++i) tasks.push_back(task(heard[i], "other-" + std::to_string(i), {}));
  gather(std::move(tasks));
  for (Heard& each : heard) {
    EXPECT_TRUE(each.answered.await());
    EXPECT_EQ(each.status, 202);
  }
  EXPECT_EQ(committed_.count(), 2U);
  EXPECT_EQ(open_saga_view(url_).value()->list({}, 0, 100, 100)->items.size(), 6U);
}

TEST_F(StartQueue, RefusesOneWithoutHurtingTheOthers) {
  Heard good;
  Heard conflicting;
  Heard unknown;
  std::vector<StartTask> tasks;
  tasks.push_back(task(good, "good", {}));
  tasks.push_back(task(conflicting, "first", long_wait, "short", R"({"other":1})"));
  tasks.push_back(task(unknown, "unknown", long_wait, "nobody-knows-it"));
  gather(std::move(tasks));
  EXPECT_TRUE(good.answered.await() && conflicting.answered.await() && unknown.answered.await());
  EXPECT_EQ(good.status, 202);
  EXPECT_EQ(conflicting.status, 409);
  EXPECT_EQ(unknown.status, 404);
}

TEST_F(StartQueue, AnswersWhoWaitsWhenItsOrchestratorTellsOfTheEnd) {
  orchestrate(&*queue_);
  Heard heard;
  queue_->push(task(heard, "a", long_wait));
  EXPECT_TRUE(heard.answered.await());
  EXPECT_EQ(heard.status, 200);
}

TEST_F(StartQueue, AnswersWithWhatWasToldWithoutReadingIt) {
  Heard heard;
  queue_->push(task(heard, "a", long_wait));
  EXPECT_TRUE(committed_.await());
  const SagaNews news{.kind = SagaNews::Kind::completed,
                      .definition = "short",
                      .tenant_id = "default",
                      .id = "a",
                      .output = R"({"order":7})"};
  queue_->tell(std::span(&news, 1));  // Nobody carries it out: the store knows of no end.
  EXPECT_TRUE(heard.answered.await());
  EXPECT_EQ(heard.status, 200);
  EXPECT_NE(heard.body.find(R"("output":{"order":7})"), std::string::npos) << heard.body;
}

TEST_F(StartQueue, FindsTheEndThatAnotherNodeHasReached) {
  orchestrate(nullptr);
  Heard heard;
  queue_->push(task(heard, "a", long_wait));
  EXPECT_TRUE(heard.answered.await());
  EXPECT_EQ(heard.status, 200);
}

TEST_F(StartQueue, AnswersWhoRepeatsAStartThatHasEnded) {
  orchestrate(&*queue_);
  Heard heard;
  Heard again;
  queue_->push(task(heard, "a", long_wait));
  EXPECT_TRUE(heard.answered.await());
  queue_->push(task(again, "a", long_wait));
  EXPECT_TRUE(again.answered.await());
  EXPECT_EQ(again.status, 200);
}

TEST_F(StartQueue, TellsWhatItKnowsWhenThePatienceEnds) {
  Heard heard;
  queue_->push(task(heard, "a", 20ms));
  EXPECT_TRUE(heard.answered.await());
  EXPECT_EQ(heard.status, 202);
}

TEST_F(StartQueue, LetsNobodyWaitOnceTheServerEnds) {
  Heard heard;
  Heard later;
  queue_->push(task(heard, "a", long_wait));
  EXPECT_TRUE(committed_.await());
  queue_->wind_up();
  queue_->push(task(later, "b", long_wait));
  EXPECT_TRUE(heard.answered.await() && later.answered.await());
  EXPECT_EQ(heard.status, 202);
  EXPECT_EQ(later.status, 202);
}

SagaWaits::Wait a_wait(const std::string& id, Sequence execution, int until, int look_at) {
  return {.id = {"default", id},
          .execution = execution,
          .until = MonotonicTime(Duration(until)),
          .look_at = MonotonicTime(Duration(look_at)),
          .caller = {}};
}

TEST(SagaWaits, LooksAtWhatWasToldAndAtWhatIsDue) {
  SagaWaits waits;
  waits.add(a_wait("told", 1, 1000, 500));
  waits.add(a_wait("due", 2, 1000, 100));
  waits.add(a_wait("later", 3, 1000, 500));
  const std::vector<SagaId> told = {{"default", "told"}, {"default", "nobody's"}};
  EXPECT_EQ(waits.next(), MonotonicTime(Duration(100)));
  EXPECT_EQ(waits.worth_a_look(told, MonotonicTime(Duration(100))), (std::vector<Sequence>{1, 2}));
  EXPECT_EQ(waits.worth_a_look({}, MonotonicTime(Duration(101))), std::vector<Sequence>());
}

TEST(SagaWaits, ForgetsWhoWasAnswered) {
  SagaWaits waits;
  waits.add(a_wait("a", 1, 1000, 100));
  waits.add(a_wait("a", 1, 2000, 100));
  EXPECT_TRUE(waits.take_expired(MonotonicTime(Duration(999))).empty());
  EXPECT_EQ(waits.take_expired(MonotonicTime(Duration(1000))).size(), 1U);
  EXPECT_EQ(waits.take(1).size(), 1U);
  EXPECT_TRUE(waits.empty());
  EXPECT_EQ(waits.next(), MonotonicTime::max());
}

}  // namespace
}  // namespace makegood::server
