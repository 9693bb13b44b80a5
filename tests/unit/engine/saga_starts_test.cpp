// Many threads that start executions share commits.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "makegood/saga.hpp"
#include "makegood/spi/registry.hpp"
#include "tests/support/temporary_folder.hpp"

namespace makegood {
namespace {

constexpr std::size_t thread_count = 8;

class SagaStartsTest : public ::testing::Test {
 protected:
  static NewMessage a_start(const std::string& id, const std::string& input = "{}") {
    return {.topic = "short", .payload = input, .event_id = id};
  }
  SagaStarts open(std::function<void()> started = {}) {
    EXPECT_TRUE(open_saga_store(url_).has_value());
    return SagaStarts(open_saga_view(url_).value(), std::move(started));
  }
  std::size_t stored() { return open_saga_view(url_).value()->list({}, 0, 1000, 1000)->items.size(); }

  const testing_support::TemporaryFolder folder_;
  const std::string url_ = "sqlite:" + folder_.file("sagas.db");
};

/// The first commit ends when all the others have come.
TEST_F(SagaStartsTest, ShareACommitWithThoseThatComeMeanwhile) {
  std::atomic<std::size_t> come = 0;
  std::atomic<std::size_t> commits = 0;
  SagaStarts starts = open([&] {
    if (++commits > 1) return;
    while (come < thread_count) std::this_thread::yield();
  });
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < thread_count; ++i) {
      threads.emplace_back([&, i] {
        ++come;
        EXPECT_TRUE(starts.start(a_start("id-" + std::to_string(i))).has_value());
      });
    }
  }
  EXPECT_EQ(stored(), thread_count);
  EXPECT_LT(commits, thread_count);
}

TEST_F(SagaStartsTest, AreRefusedAlone) {
  SagaStarts starts = open();
  ASSERT_TRUE(starts.start(a_start("taken")).has_value());
  std::atomic<std::size_t> refused = 0;
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < thread_count; ++i) {
      threads.emplace_back([&, i] {
        const bool is_bad = i % 2 == 0;
        const auto started = starts.start(is_bad ? a_start("taken", "[1]") : a_start("id-" + std::to_string(i)));
        EXPECT_EQ(started.has_value(), !is_bad);
        if (!started && started.error().code == Errc::conflict) ++refused;
      });
    }
  }
  EXPECT_EQ(refused, thread_count / 2);
  EXPECT_EQ(stored(), 1 + thread_count / 2);
}

TEST_F(SagaStartsTest, AnswerARepeatedStartWithTheFirst) {
  SagaStarts starts = open();
  const auto first = starts.start(a_start("a"));
  const auto again = starts.start(a_start("a"));
  ASSERT_TRUE(first && again);
  EXPECT_EQ(again->sequence, first->sequence);
  EXPECT_TRUE(again->was_there);
}

}  // namespace
}  // namespace makegood
