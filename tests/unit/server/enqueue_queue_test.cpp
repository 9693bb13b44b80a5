// Group commit: what shares a commit, and who hears what.
#include "server/enqueue_queue.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/event.hpp"

namespace makegood::server {
namespace {

using testing_support::Event;

/// Notes what each commit held. A message of the topic `bad` is refused; `hold` makes commits wait.
struct Commits {
  std::vector<std::size_t> sizes = {};  ///< Used by the queue's thread until it has stopped.
  std::optional<Error> trouble = {};
  int opened = 0;
  Event began;
  Event released;
  bool is_held = false;
};

class NotingStore final : public OutboxStore {
 public:
  explicit NotingStore(Commits& commits) : commits_(commits) {}
  StoreFeatures features() const override { return {}; }
  Result<> migrate() override { return {}; }
  Result<std::vector<Enqueued>> enqueue(std::span<const NewMessage> messages) override {
    commits_.began.happen();
    if (commits_.is_held) commits_.released.await();
    commits_.sizes.push_back(messages.size());
    if (commits_.trouble) return *commits_.trouble;
    std::vector<Enqueued> enqueued;
    for (const NewMessage& message : messages) {
      if (message.topic == "bad") return Error{Errc::conflict, "used before"};
      enqueued.push_back({.sequence = ++last_});
    }
    return enqueued;
  }
  Result<std::optional<Taken>> take(const Owner&, Duration, const Owner&) override { return std::optional<Taken>(); }
  Result<Found> look(const LookFor&) override { return Found{}; }
  Result<Committed> commit(const Turn&) override { return Committed{}; }
  bool has_changed() override { return false; }

 private:
  Commits& commits_;
  Sequence last_ = 0;
};

class Listener final : public Caller {
 public:
  explicit Listener(int& status) : status_(status) {}
  void answer(api::Answer answer) override { status_ = answer.status; }

 private:
  int& status_;
};

class Queue : public testing::Test {
 protected:
  EnqueueTask task(std::string topic, int& status, std::string outbox = "o") {
    return {.call = {.outbox = std::move(outbox), .messages = {{.topic = std::move(topic), .payload = "1"}}},
            .caller = std::make_shared<Listener>(status)};
  }
  std::unique_ptr<EnqueueQueue> open() {
    return std::make_unique<EnqueueQueue>(
        EnqueueQueue::Parts{.open = [this](std::string_view) -> Result<std::unique_ptr<OutboxStore>> {
                              ++commits.opened;
                              return std::unique_ptr<OutboxStore>(std::make_unique<NotingStore>(commits));
                            },
                            .deliver =
                                [this](std::vector<Reply> replies) {
                                  for (Reply& reply : replies) {
                                    reply.to->answer(std::move(reply.answer));
                                    answered.happen();
                                  }
                                },
                            .enqueued = [this](std::string_view) { woken.happen(); }});
  }
  static bool is_taken(EnqueueQueue& queue, EnqueueTask task) {
    std::vector<EnqueueTask> tasks;
    tasks.push_back(std::move(task));
    return queue.push(std::move(tasks)).empty();
  }
  /// The first call is alone in its commit; while it is held, the others gather.
  void gather(EnqueueQueue& queue, std::vector<EnqueueTask> tasks) {
    const std::size_t count = tasks.size();
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_TRUE(is_taken(queue, std::move(tasks[i])));
      if (i == 0) {
        ASSERT_TRUE(commits.began.await());
      }
    }
    commits.released.happen();
    ASSERT_TRUE(answered.await(count));
  }

  Commits commits;
  Event answered, woken;
};

TEST_F(Queue, PutsWhatComesDuringOneCommitIntoTheNext) {
  commits.is_held = true;
  const auto queue = open();
  int first = 0, second = 0, third = 0;
  gather(*queue, {task("a", first), task("b", second), task("c", third)});
  queue->stop();
  EXPECT_EQ(commits.sizes, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(first, 201);
  EXPECT_EQ(second, 201);
  EXPECT_EQ(third, 201);
  EXPECT_EQ(woken.count(), 2U);
}

TEST_F(Queue, LetsOneBadCallHurtNobodyElse) {
  commits.is_held = true;
  const auto queue = open();
  int first = 0, good = 0, bad = 0, other = 0;
  gather(*queue, {task("a", first), task("b", good), task("bad", bad), task("c", other)});
  queue->stop();
  EXPECT_EQ(commits.sizes, (std::vector<std::size_t>{1, 3, 1, 1, 1}));
  EXPECT_EQ(good, 201);
  EXPECT_EQ(bad, 409);
  EXPECT_EQ(other, 201);
}

TEST_F(Queue, DoesNotRepeatWhatTheStoreCannotDo) {
  commits.is_held = true;
  commits.trouble = Error{Errc::store_unavailable, "locked"};
  const auto queue = open();
  int first = 0, second = 0, third = 0;
  gather(*queue, {task("a", first), task("b", second), task("c", third)});
  queue->stop();
  EXPECT_EQ(commits.sizes, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(second, 503);
  EXPECT_EQ(third, 503);
  EXPECT_EQ(commits.opened, 2) << "a connection in trouble is opened anew";
}

TEST_F(Queue, KeepsOutboxesApart) {
  commits.is_held = true;
  const auto queue = open();
  int first = 0, second = 0, third = 0;
  gather(*queue, {task("a", first), task("b", second, "p"), task("c", third, "o")});
  queue->stop();
  EXPECT_EQ(commits.sizes, (std::vector<std::size_t>{1, 1, 1}));
  EXPECT_EQ(commits.opened, 2);
}

TEST_F(Queue, RefusesWhatItCannotKeep) {
  commits.is_held = true;
  const auto queue = open();
  int first = 0, many = 0, late = 0;
  ASSERT_TRUE(is_taken(*queue, task("a", first)));
  ASSERT_TRUE(commits.began.await());
  EnqueueTask large = task("b", many);
  large.call.messages.resize(EnqueueQueue::messages_max, large.call.messages.front());
  large.call.is_bulk = true;
  EXPECT_TRUE(is_taken(*queue, std::move(large)));
  EXPECT_FALSE(is_taken(*queue, task("c", late)));
  commits.released.happen();
  ASSERT_TRUE(answered.await(2));
  EXPECT_TRUE(is_taken(*queue, task("c", late)));
  ASSERT_TRUE(answered.await(3));
  EXPECT_EQ(late, 201);
}

}  // namespace
}  // namespace makegood::server
