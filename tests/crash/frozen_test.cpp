// Two processes on one database, and the owner of the lane stands still for a part of its lease, or longer. It freezes
// itself at a failpoint, so that it is known where; the clock is the machine's, or the server's.
#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/crash/crash_test.hpp"
#include "tests/crash/relay.hpp"
#include "tests/crash/shop.hpp"

namespace makegood::crash {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr Duration lease = 500ms;
/// Of an owner that wakes in the middle of it: what is left then is enough for a turn on a busy machine, too.
constexpr Duration long_lease = 6s;
constexpr auto patience = 20s;

int relay_for_ever(const Place& place, const Blow& blow, Duration of_lease) {
  const Chronicle chronicle(place.chronicle());
  arm(blow);
  auto relay = Relay::open(place, chronicle, system_clock(), of_lease);
  if (!relay) return 1;
  (*relay)->dispatcher().start();
  while (true) std::this_thread::sleep_for(1h);  // Until it is killed.
}

class FrozenTest : public CrashTest {
 protected:
  explicit FrozenTest(Kind kind) : series_(kind) {}

  /// The owner, which freezes itself at `point`, and one that waits for the lane.
  void begin(std::string_view point, unsigned hit = 5, Duration of_lease = lease) {
    const Blow blow{.point = std::string(point), .hit = hit, .way = Way::freeze};
    owner_ = std::make_unique<Child>([&] { return relay_for_ever(series_.place(), blow, of_lease); });
    ASSERT_TRUE(await([&] { return !find_line(series_.lines(), "taken").empty(); }));
    id_ = find_line(series_.lines(), "taken")[1];
    waiting_ = std::make_unique<Child>([&] { return relay_for_ever(series_.place(), {}, of_lease); });
    auto shop = Shop::open(series_.place(), chronicle_);
    ASSERT_TRUE(shop);
    shop_ = *std::move(shop);
    shop_->database().wait_at_most(100ms);  // A frozen process may hold the file.
    awake_at_ = steady_clock::now();
    ASSERT_TRUE(await([&] {
      place_order();
      const auto before = steady_clock::now();
      const bool is_frozen = owner_->await_frozen(0);
      if (!is_frozen) awake_at_ = before;
      return is_frozen;
    }));
    frozen_at_ = steady_clock::now();
  }
  void thaw_after(Duration duration) {
    std::this_thread::sleep_until(frozen_at_ + duration);
    owner_->thaw();
    frozen_for_ = std::chrono::duration_cast<Duration>(steady_clock::now() - frozen_at_);
  }
  /// Nobody is killed before everything has arrived; then a last life settles the accounts.
  void expect_sound_accounts() {
    EXPECT_TRUE(await([&] { return shop_->pending_count() == 0; }));
    shop_.reset();
    owner_.reset();
    waiting_.reset();
    EXPECT_EQ(check_crashed(series_.place()), Violations());
    EXPECT_EQ(series_.run_last(), at_rest);
    EXPECT_EQ(audit(series_.place()), Violations());
  }

  bool place_order() { return shop_->place_orders({{"k1"}, {}}); }
  template <class Condition>
  static bool await(const Condition& condition) {
    for (const auto until = steady_clock::now() + patience; steady_clock::now() < until;) {
      if (condition()) return true;
      std::this_thread::sleep_for(5ms);
    }
    return false;
  }

  bool is_taken_over() {
    return std::ranges::any_of(series_.lines(), [&](const Line& line) { return line[0] == "taken" && line[1] != id_; });
  }
  bool is_fenced() {
    return std::ranges::any_of(series_.lines(), [&](const Line& line) {
      const bool is_refused = line[0] == "turn_failed" || line[0] == "look_failed";
      return is_refused && line[1] == id_ && line.back() == to_string(Errc::fenced);
    });
  }
  std::size_t turns_of_owner() {
    return static_cast<std::size_t>(
        std::ranges::count_if(series_.lines(), [&](const Line& line) { return line[0] == "turn" && line[1] == id_; }));
  }
  std::size_t arrival_count() {
    return static_cast<std::size_t>(
        std::ranges::count_if(series_.lines(), [](const Line& line) { return line[0] == "arrived"; }));
  }
  /// Of the first owner, after another has taken the lane.
  std::size_t sends_after_take_over() {
    std::size_t count = 0;
    bool is_over = false;
    for (const Line& line : series_.lines()) {
      is_over = is_over || (line[0] == "taken" && line[1] != id_);
      if (is_over && line[0] == "sent" && line[1] == id_) ++count;
    }
    return count;
  }

  Series series_;
  Chronicle chronicle_{series_.place().chronicle()};
  std::unique_ptr<Child> owner_;
  std::unique_ptr<Child> waiting_;
  std::unique_ptr<Shop> shop_;
  Owner id_;
  // It froze between the two.
  steady_clock::time_point awake_at_;
  steady_clock::time_point frozen_at_;
  Duration frozen_for_ = {};
};

class Frozen : public FrozenTest, public testing::WithParamInterface<Kind> {
 protected:
  Frozen() : FrozenTest(GetParam()) {}
};

INSTANTIATE_TEST_SUITE_P(On, Frozen, testing::ValuesIn(stores()), name_of_store);

TEST_P(Frozen, ForLessThanItsLeaseItStaysTheOwner) {
  begin("commit.after", 5, long_lease);
  thaw_after(long_lease / 2);
  if (frozen_for_ > long_lease) {
    GTEST_SKIP() << "a busy machine woke it after its lease instead of before: nothing is shown about this case";
  }
  EXPECT_FALSE(is_taken_over());
  const std::size_t before = turns_of_owner();
  EXPECT_TRUE(await([&] {
    place_order();
    return turns_of_owner() > before + 2 || is_taken_over();
  }));
  EXPECT_FALSE(is_fenced());
  expect_sound_accounts();
}

TEST_P(Frozen, BeforeWhatItReleasedHasLeftItSendsNothingOfItWhenItWakes) {
  begin("send.before");
  EXPECT_TRUE(await([&] { return is_taken_over() && shop_->pending_count() == 0; })) << "the other one sends it";
  const std::size_t before = arrival_count();
  owner_->thaw();
  EXPECT_TRUE(await([&] { return is_fenced(); }));
  EXPECT_EQ(arrival_count(), before);
  expect_sound_accounts();
}

class FrozenLonger : public FrozenTest, public testing::WithParamInterface<std::tuple<Kind, double>> {
 protected:
  FrozenLonger() : FrozenTest(std::get<Kind>(GetParam())) {}
};

TEST_P(FrozenLonger, ThanItsLeaseItIsFollowedAndFencedWhenItWakes) {
  begin("commit.after");
  EXPECT_TRUE(await([&] { return is_taken_over(); }));
  EXPECT_GE(steady_clock::now() - awake_at_, lease * 0.8) << "it was followed before its lease was over";
  thaw_after(std::chrono::duration_cast<Duration>(lease * std::get<double>(GetParam())));
  EXPECT_TRUE(await([&] {
    place_order();
    return is_fenced();
  }));
  EXPECT_EQ(sends_after_take_over(), 0U);
  expect_sound_accounts();
}

std::string name_of_freeze(const testing::TestParamInfo<std::tuple<Kind, double>>& freeze) {
  const auto& [kind, times] = freeze.param;
  return to_string(kind) + (times < 2 ? "_a_little" : "_a_lot");
}

INSTANTIATE_TEST_SUITE_P(On, FrozenLonger, testing::Combine(testing::ValuesIn(stores()), testing::Values(1.1, 3.0)),
                         name_of_freeze);

class FrozenOnAFile : public FrozenTest {
 protected:
  FrozenOnAFile() : FrozenTest(Kind::sqlite) {}
};

TEST_F(FrozenOnAFile, InsideItsTransactionItHoldsTheFileAndLosesNothing) {
  begin("commit.appended");
  thaw_after(3 * lease);
  EXPECT_FALSE(is_taken_over()) << "nobody can write while SQLite's lock is held";
  const std::size_t before = turns_of_owner();
  EXPECT_TRUE(await([&] {
    place_order();
    return turns_of_owner() > before || is_taken_over();
  }));
  expect_sound_accounts();
}

/// The server ends the session of an owner that stands still inside its transaction, so nobody waits for it.
class FrozenOnAServer : public FrozenTest {
 protected:
  FrozenOnAServer() : FrozenTest(stores().back()) {}
  void SetUp() override {
    if (stores().size() == 1) GTEST_SKIP() << testing_support::no_postgres;
  }
  void expect_that_nobody_waits_for_it() {
    EXPECT_TRUE(place_order());
    EXPECT_TRUE(await([&] { return is_taken_over(); }));
    thaw_after(3 * lease);
    EXPECT_TRUE(await([&] {
      place_order();
      return has_lost();
    }));
    EXPECT_EQ(sends_after_take_over(), 0U);
    expect_sound_accounts();
  }
  /// Its turn was not written, or it does not know and counts as not its own.
  bool has_lost() {
    return std::ranges::any_of(series_.lines(), [&](const Line& line) {
      return (line[0] == "turn_failed" && line[1] == id_) || (line[0] == "look_failed" && line[1] == id_);
    });
  }
};

TEST_F(FrozenOnAServer, BetweenItsLookAndItsTurnItIsFollowed) {
  begin("look.after");
  expect_that_nobody_waits_for_it();
}

TEST_F(FrozenOnAServer, WithATurnThatIsNotCommittedItIsFollowed) {
  begin("commit.appended", 1);
  expect_that_nobody_waits_for_it();
}

}  // namespace
}  // namespace makegood::crash
