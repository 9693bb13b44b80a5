// The deliveries in hand: their tickets, their bytes, and the holes that they are.
#include "core/window.hpp"

#include <gtest/gtest.h>

#include "tests/support/committed_message.hpp"

namespace makegood::core {
namespace {

using testing_support::committed_message;

using Holes = std::vector<std::vector<Sequence>>;

/// By destination, of which there are so many.
Holes holes_of(Window& window, std::size_t destination_count) {
  Holes holes(destination_count);
  window.each_hole([&](Sequence sequence, const Carried& carried) { holes[carried.destination].push_back(sequence); });
  return holes;
}

Carried carried(Sequence sequence, DestinationIndex destination = 0) {
  return {.message = committed_message({}, sequence), .destination = destination};
}

TEST(Window, FindsADeliveryByItsTicket) {
  Window window;
  window.add(carried(1));
  const CarriedIndex index = window.add(carried(2));
  const Ticket ticket = window.ticket_of(index);
  ASSERT_NE(window.find(ticket), nullptr);
  EXPECT_EQ(window.find(ticket)->message->sequence, 2);
  EXPECT_EQ(Window::index_of(ticket), index);
}

TEST(Window, DoesNotKnowTicketsItNeverGave) {
  Window window;
  EXPECT_EQ(window.find(0), nullptr);
  const Ticket ticket = window.ticket_of(window.add(carried(1)));
  EXPECT_EQ(window.find(ticket + 1), nullptr);
  EXPECT_EQ(window.find(0), nullptr);
}

TEST(Window, ForgetsATicketWhenItsDeliveryHasEnded) {
  Window window;
  const CarriedIndex index = window.add(carried(1));
  const Ticket ticket = window.ticket_of(index);
  window.remove(index);
  EXPECT_EQ(window.find(ticket), nullptr);
}

TEST(Window, GivesAnotherTicketForTheSamePlace) {
  Window window;
  const CarriedIndex first = window.add(carried(1));
  const Ticket old = window.ticket_of(first);
  window.remove(first);
  const CarriedIndex second = window.add(carried(2));
  EXPECT_EQ(second, first);
  EXPECT_NE(window.ticket_of(second), old);
  EXPECT_EQ(window.find(old), nullptr);
}

TEST(Window, KnowsNoTicketFromBeforeItWasCleared) {
  Window window;
  const Ticket first = window.ticket_of(window.add(carried(1)));
  const Ticket second = window.ticket_of(window.add(carried(2)));
  window.clear();
  window.add(carried(3));
  window.add(carried(4));
  EXPECT_EQ(window.find(first), nullptr);
  EXPECT_EQ(window.find(second), nullptr);
}

TEST(Window, IsEmptyAfterItWasCleared) {
  Window window;
  const CarriedIndex ended = window.add(carried(1));
  window.add(carried(2));
  window.remove(ended);
  window.clear();
  EXPECT_EQ(window.count(), 0U);
  EXPECT_EQ(window.bytes(), 0U);
  EXPECT_EQ(holes_of(window, 1), Holes({{}}));
}

TEST(Window, ListsItsHolesByDestinationAndInOrder) {
  Window window;
  for (const Sequence sequence : {3, 5, 9}) window.add(carried(sequence, 1));
  window.add(carried(4, 2));
  EXPECT_EQ(holes_of(window, 4), Holes({{}, {3, 5, 9}, {4}, {}}));
}

TEST(Window, PutsARowThatCommittedLateInItsPlace) {
  Window window;
  for (const Sequence sequence : {3, 9, 5, 1}) window.add(carried(sequence));
  EXPECT_EQ(holes_of(window, 1), Holes({{1, 3, 5, 9}}));
}

TEST(Window, OneMessageIsAHoleForEachOfItsDestinations) {
  Window window;
  const CarriedIndex first = window.add(carried(7, 0));
  window.add(carried(7, 1));
  EXPECT_EQ(holes_of(window, 2), Holes({{7}, {7}}));
  window.remove(first);
  EXPECT_EQ(holes_of(window, 2), Holes({{}, {7}}));
}

TEST(Window, AParkedDeliveryIsNoHole) {
  Window window;
  Carried parked = carried(1);
  parked.is_parked = true;
  window.add(parked);
  EXPECT_EQ(holes_of(window, 1), Holes({{}}));
  EXPECT_EQ(window.count(), 1U);
}

TEST(Window, APlaceThatIsUsedAgainMakesOneHole) {
  Window window;
  window.remove(window.add(carried(1)));
  window.add(carried(2));
  EXPECT_EQ(holes_of(window, 1), Holes({{2}}));
}

TEST(Window, ShowsEverythingInHandAndNothingThatHasEnded) {
  Window window;
  window.remove(window.add(carried(1)));
  window.add(carried(3));
  Carried parked = carried(2);
  parked.is_parked = true;
  window.add(parked);
  std::vector<Sequence> seen;
  window.each([&](CarriedIndex, const Carried& each) { seen.push_back(each.message->sequence); });
  EXPECT_EQ(seen, std::vector<Sequence>({3, 2}));
}

TEST(Window, CountsTheBytesOfWhatIsInHand) {
  Window window;
  Carried big = carried(1);
  big.message = committed_message({.content = std::string(5000, 'x')}, 1);
  const CarriedIndex first = window.add(big);
  const CarriedIndex second = window.add(carried(2));
  EXPECT_EQ(window.bytes(), bytes_of(*big.message) + bytes_of(*window.at(second).message));
  window.remove(first);
  EXPECT_EQ(window.bytes(), bytes_of(*window.at(second).message));
}

TEST(Window, LetsGoOfTheMessageWhenItsDeliveryHasEnded) {
  Window window;
  const MessagePtr message = committed_message({}, 1);
  window.remove(window.add({.message = message}));
  EXPECT_EQ(message.use_count(), 1);
}

TEST(Window, UsesItsPlacesAgain) {
  Window window;
  for (Sequence sequence = 1; sequence <= 1000; ++sequence) {
    const CarriedIndex index = window.add(carried(sequence));
    EXPECT_EQ(index, 0U);
    window.remove(index);
  }
}

}  // namespace
}  // namespace makegood::core
