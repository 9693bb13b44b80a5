// An outage costs a side lane, not a row per message: rows, turns and bytes are counted.
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iostream>

#include "tests/integration/scale/at_scale.hpp"

namespace makegood {
namespace {

/// What this process has handed to the system for writing.
std::size_t bytes_written() {
  std::ifstream figures("/proc/self/io");
  std::string name;
  for (std::size_t value = 0; figures >> name >> value;) {
    if (name == "wchar:") return value;
  }
  return 0;
}

// AddressSanitizer keeps what was freed for a while, up to 256 MiB.
#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t grows_by_max = std::size_t{320} << 20;
#else
constexpr std::size_t grows_by_max = std::size_t{64} << 20;
#endif

/// What this process holds in memory.
std::size_t bytes_held() {
  std::ifstream figures("/proc/self/statm");
  std::size_t pages = 0;
  std::size_t resident = 0;
  figures >> pages >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

class Outage : public AtScale {
 protected:
  const std::size_t seconds = is_full_size() ? 3600 : 60;
  static constexpr std::size_t per_second = 1000;

  static std::vector<NewMessage> of_keys(int count) {
    std::vector<NewMessage> messages{message("default"), message("acme")};
    for (int i = 0; i < count; ++i) messages.push_back(message("default", "k" + std::to_string(i)));
    return messages;
  }
  /// One second: messages come in, and nothing can be delivered.
  void endure_a_second(const std::vector<NewMessage>& likes) {
    enqueue(per_second, likes);
    const std::size_t before = bytes_written();
    relay().run_until(clock.monotonic() + 1s,
                      [](const Delivery&) { return Outcome::unreachable("TX.UNAVAILABLE", "it is down"); });
    written_ += bytes_written() - before;
  }
  std::size_t pages_of(const std::string& table) {
    return count(
        "coalesce(sum(pgsize), 0) FROM dbstat WHERE name IN (SELECT name FROM sqlite_schema WHERE tbl_name = '" +
        table + "')");
  }
  void expect_little_is_written(const std::vector<NewMessage>& likes);

  std::size_t written_ = 0;
};

void Outage::expect_little_is_written(const std::vector<NewMessage>& likes) {
  take();
  for (std::size_t second = 0; second < seconds; ++second) ASSERT_NO_FATAL_FAILURE(endure_a_second(likes));
  const std::size_t parked = count("count(*) FROM makegood_outbox_parked");
  const std::size_t held = count("count(*) FROM makegood_outbox_parked WHERE state = 'held'");
  const std::size_t dead = count("count(*) FROM makegood_outbox_parked WHERE state = 'dead'");
  const std::size_t turns = count("count(*) FROM makegood_outbox_turn");
  const std::size_t kept = pages_of("makegood_outbox_parked") + pages_of("makegood_outbox_turn");
  std::cout << seconds * per_second << " messages in " << seconds << " s of outage: " << parked << " parked (" << held
            << " held, " << dead << " dead), " << turns << " turns, " << kept << " bytes of pages, " << written_
            << " bytes written by the relay, checkpoints of the producer's pages included\n";
  EXPECT_LT(parked, 100U);
  EXPECT_LT(dead, 10U);
  EXPECT_LT(turns, seconds / 3 + 100) << "mostly renewals of the lease";
  EXPECT_LT(kept, 65'536 + turns * 1'000) << "a page or two for each table and index, and small turns";
  EXPECT_EQ(relay().lane().reached(), static_cast<Sequence>(seconds * per_second)) << "the main lane reads on";
}

TEST_F(Outage, CostsRowsInTheTensAndFewTurns) { expect_little_is_written(of_keys(500)); }

TEST_F(Outage, CostsNoMoreWhenFewKeysCarryEverything) { expect_little_is_written(of_keys(3)); }

TEST_F(Outage, EndsWithEverythingDeliveredInOrder) {
  constexpr std::size_t lasts = 10;
  const auto likes = of_keys(8);
  take();
  for (std::size_t second = 0; second < lasts; ++second) ASSERT_NO_FATAL_FAILURE(endure_a_second(likes));
  FirstArrivals arrivals;
  relay().run_until(clock.monotonic() + 10min, [&](const Delivery& delivery) {
    if (!delivery.message->dispatch_key.empty()) arrivals.add(delivery);
    return Outcome::ok();
  });
  EXPECT_EQ(arrivals.count(), lasts * per_second / 10 * 8);
  EXPECT_EQ(arrivals.out_of_order(), 0U);
  EXPECT_TRUE(position().sides.empty());
  EXPECT_EQ(settled(position()), static_cast<Sequence>(lasts * per_second));
}

/// An endpoint that gets 100 messages/s and is away for an hour. Attempts would run out within seconds, if they were
/// spent.
class EndpointAway : public Outage {
 protected:
  static constexpr std::size_t messages_per_second = 100;
  static constexpr std::size_t rate_max = 2000;

  EndpointAway() {
    Destination& destination = options.destinations[0];
    destination.rate_max = static_cast<double>(rate_max);
    destination.retry = {.attempts_max = 4, .base = 1s, .cap = 4s};
  }

  void be_away() {
    for (std::size_t second = 0; second < seconds; ++second) {
      enqueue(messages_per_second, of_keys(20));
      relay().run_until(clock.monotonic() + 1s, [&](const Delivery&) {
        ++failed_;
        return Outcome::unreachable("TX.UNAVAILABLE", "connection refused");
      });
      window_max_ = std::max(window_max_, relay().lane().figures().window_count);
      drop_reports();
      held_max_ = std::max(held_max_, bytes_held());
    }
    parked_ = count("count(*) FROM makegood_outbox_parked");
  }
  /// In steps of half of what the bucket of its rate holds: token by token, an hour's backlog would take very long.
  void come_back() {
    const MonotonicTime end = clock.monotonic() + std::chrono::seconds(seconds);
    while (delivered_ < seconds * messages_per_second && clock.monotonic() < end) {
      clock.advance(50ms);
      relay().run([&](const Delivery&) {
        ++delivered_;
        sends_.push_back(clock.monotonic());
        return Outcome::ok();
      });
      drop_reports();
    }
    held_max_ = std::max(held_max_, bytes_held());
  }
  /// As the loop does, which hands them to its observer: they hold the messages.
  void drop_reports() {
    relay().lane().take_settled();
    relay().lane().take_enqueued();
  }
  /// Of all seconds, whenever they begin.
  std::size_t busiest_second() const {
    std::size_t most = 0;
    for (auto first = sends_.begin(), end = first; first != sends_.end(); ++first) {
      while (end != sends_.end() && *end < *first + 1s) ++end;
      most = std::max(most, static_cast<std::size_t>(end - first));
    }
    return most;
  }

  std::size_t failed_ = 0;
  std::size_t delivered_ = 0;
  std::size_t window_max_ = 0;
  std::size_t parked_ = 0;
  std::size_t held_max_ = 0;
  std::vector<MonotonicTime> sends_;
};

TEST_F(EndpointAway, CostsNoDeadLetterFewRetriesAndNoBurstAfterwards) {
  take();
  const std::size_t held_before = bytes_held();
  be_away();
  come_back();
  const std::size_t messages = seconds * messages_per_second;
  std::cout << messages << " messages while it was away for " << seconds << " s: " << failed_ << " failed sends, then "
            << delivered_ << " delivered, at most " << busiest_second() << " in a second; window at most "
            << window_max_ << ", " << parked_ << " parked, " << (held_max_ - held_before) / 1024
            << " KiB more memory\n";
  EXPECT_EQ(delivered_, messages);
  EXPECT_EQ(count("count(*) FROM makegood_outbox_parked WHERE state = 'dead'"), 0U);
  EXPECT_LE(failed_ * 5, failed_ + delivered_) << "at most a fifth of the sends are wasted";
  EXPECT_LE(busiest_second(), rate_max) << "the backlog drains within the destination's limit";
  EXPECT_LE(window_max_, options.limits.window_rows_max);
  EXPECT_LE(parked_, 100 + seconds / 30) << "those sent before anybody knew, a probe a minute, and what it holds up";
  EXPECT_LE(held_max_ - held_before, grows_by_max) << "a backlog is in the database, not in memory";
}

}  // namespace
}  // namespace makegood
