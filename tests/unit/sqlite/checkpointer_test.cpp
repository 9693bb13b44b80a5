#include <chrono>
#include <filesystem>
#include <thread>

#include "tests/unit/sqlite/database.hpp"

namespace makegood::sqlite {
namespace {

using namespace std::chrono_literals;

constexpr std::uintmax_t page_bytes = 4096;

/// Commits with the store's own connection, about 70 pages each.
void enqueue_much(OutboxStore& store, int commits) {
  NewMessage message = testing_support::a_message("");
  message.payload = '"' + std::string(std::size_t{250} << 10, 'x') + '"';
  for (int i = 0; i < commits; ++i) {
    message.event_id = "event-" + std::to_string(i);
    ASSERT_TRUE(store.enqueue({&message, 1}));
  }
}

}  // namespace

TEST_F(SqliteTest, CopiesALongLogBesideItsCommits) {
  const std::string file = folder_.file("long.db");
  const auto store = *open_store(file, "makegood_outbox", clock_);
  ASSERT_TRUE(store->migrate());
  enqueue_much(*store, 40);
  // With no commit any more, nobody but the thread could do it.
  const auto until = std::chrono::steady_clock::now() + 20s;
  while (std::filesystem::file_size(file) < 1000 * page_bytes && std::chrono::steady_clock::now() < until)
    std::this_thread::yield();
  EXPECT_GE(std::filesystem::file_size(file), 1000 * page_bytes);
}

TEST_F(SqliteTest, KeepsTheLogBoundedWhileItIsWrittenTo) {
  const std::string file = folder_.file("long.db");
  const auto store = *open_store(file, "makegood_outbox", clock_);
  ASSERT_TRUE(store->migrate());
  enqueue_much(*store, 400);
  EXPECT_LT(std::filesystem::file_size(file + "-wal"), 20'000 * page_bytes) << "of 28,000 that were written";
}

}  // namespace makegood::sqlite
