#include "transports/local/queue.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/completion_inbox.hpp"

namespace makegood::local {
namespace {

Chunk chunk_of(const std::vector<Ticket>& tickets, Completions* done = nullptr) {
  Chunk chunk{.done = done};
  for (const Ticket ticket : tickets)
    chunk.deliveries.push_back({.message = nullptr, .destination = nullptr, .outbox = {}, .ticket = ticket});
  return chunk;
}

std::vector<Ticket> take(Queue& queue, std::size_t count_max) {
  Chunk chunk;
  queue.take(count_max, chunk);
  std::vector<Ticket> tickets;
  tickets.reserve(chunk.deliveries.size());
  for (const Delivery& delivery : chunk.deliveries) tickets.push_back(delivery.ticket);
  return tickets;
}

TEST(LocalQueue, HandsOutInTheOrderOfSending) {
  Queue queue;
  queue.push_back(chunk_of({1, 2, 3}));
  EXPECT_EQ(take(queue, 2), (std::vector<Ticket>{1, 2}));
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_EQ(take(queue, 2), (std::vector<Ticket>{3}));
  EXPECT_TRUE(queue.is_empty());
}

TEST(LocalQueue, PutsWhatComesBackBeforeTheRest) {
  Queue queue;
  queue.push_back(chunk_of({3, 4}));
  EXPECT_EQ(take(queue, 1), (std::vector<Ticket>{3}));
  queue.push_front(chunk_of({1, 2}));
  EXPECT_EQ(queue.size(), 3U);
  EXPECT_EQ(take(queue, 9), (std::vector<Ticket>{1, 2}));
  EXPECT_EQ(take(queue, 9), (std::vector<Ticket>{4}));
}

TEST(LocalQueue, NeverMixesDeliveriesWithDifferentInboxes) {
  testing_support::CompletionInbox first;
  testing_support::CompletionInbox second;
  Queue queue;
  queue.push_back(chunk_of({1}, &first));
  queue.push_back(chunk_of({2}, &second));
  Chunk chunk;
  queue.take(9, chunk);
  EXPECT_EQ(chunk.deliveries.size(), 1U);
  EXPECT_EQ(chunk.done, &first);
  queue.take(9, chunk);
  EXPECT_EQ(chunk.done, &second);
}

TEST(LocalQueue, IgnoresEmptyChunks) {
  Queue queue;
  queue.push_back({});
  queue.push_front({});
  EXPECT_TRUE(queue.is_empty());
}

TEST(LocalQueue, ForgetsWhatIsOfOneReceiver) {
  testing_support::CompletionInbox one;
  testing_support::CompletionInbox other;
  Queue queue;
  queue.push_back(chunk_of({1, 2, 3}, &one));
  queue.push_back(chunk_of({4}, &other));
  queue.push_back(chunk_of({5}, &one));
  EXPECT_EQ(take(queue, 1), (std::vector<Ticket>{1}));
  EXPECT_EQ(queue.forget(one).size(), 2U);
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_EQ(take(queue, 10), (std::vector<Ticket>{4}));
}

}  // namespace
}  // namespace makegood::local
