// What the loop does with whatever is owned, shown on the smallest thing that can be: a number that turns raise.
#include "engine/owner_loop.hpp"

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/fake_clock.hpp"

namespace makegood::engine {
namespace {

using namespace std::chrono_literals;
using Texts = std::vector<std::string>;

constexpr Duration lease = 9s;

/// Each turn writes a number that is one higher. Answers of its store can be planned; those that are not are good.
class OwnedNumber final : public Owned {
 public:
  explicit OwnedNumber(const Clock& clock) : clock_(clock) {}

  Pace pace() const override { return {.poll_interval = 15ms, .safety_interval = 1s}; }
  void take_settings() override { ++settings_taken; }

  Result<bool> take(const Owner& owner, const Owner& former, MonotonicTime asked_at) override {
    takers.push_back(owner);
    formers.push_back(former);
    if (auto planned = next_of(planned_takes)) return *planned;
    send_until_ = asked_at + lease;
    is_owner_ = true;
    want_exchange();
    return true;
  }
  bool is_owner() const override { return is_owner_; }
  MonotonicTime send_until() const override { return send_until_; }
  void forget() override {
    is_owner_ = false;
    turn_.reset();
  }

  Result<bool> look(MonotonicTime asked_at) override {
    ++looks;
    asked_at_ = asked_at;
    if (auto planned = next_of(planned_looks)) {
      if (!*planned) return planned->error();
    }
    turn_ = written.empty() ? 1 : written.back() + 1;
    next_exchange_ = clock_.monotonic() + 1h;
    return true;
  }
  bool has_turn() const override { return turn_.has_value(); }
  Result<> commit() override {
    if (during_commit) during_commit();
    tried.push_back(*turn_);
    if (auto planned = next_of(planned_commits)) return *planned;
    written.push_back(*turn_);
    turn_.reset();
    send_until_ = asked_at_ + lease;
    if (is_giving_up_) is_owner_ = false;
    return {};
  }
  MonotonicTime next_exchange(MonotonicTime) const override { return next_exchange_; }

  bool has_changed() override { return false; }
  int change_descriptor() const override { return -1; }

  void absorb() override { ++absorbed; }
  bool release(MonotonicTime, const std::shared_ptr<const Lease>& given) override {
    if (given != last_lease) leases.push_back(given);
    last_lease = given;
    return false;
  }
  MonotonicTime next_release(MonotonicTime) override { return MonotonicTime::max(); }

  void stop() override { said.emplace_back("stop"); }
  void drain(Duration) override { is_drained = true; }
  void give_up() override { is_giving_up_ = true; }

  void ownership_changed(std::string_view what, const Owner& owner) override {
    said.emplace_back(what);
    said_owner = owner;
  }
  void alarm(const Error& error) override { said.emplace_back(to_string(error.code)); }
  void report() override { ++reports; }

  void want_exchange() { next_exchange_ = {}; }

  std::deque<Result<bool>> planned_takes;
  std::deque<Result<bool>> planned_looks;
  std::deque<Error> planned_commits;
  std::function<void()> during_commit;

  std::vector<Owner> takers;
  std::vector<Owner> formers;
  std::vector<int> tried;
  std::vector<int> written;
  Texts said;
  Owner said_owner;
  std::vector<std::shared_ptr<const Lease>> leases;
  std::shared_ptr<const Lease> last_lease;
  int looks = 0;
  int settings_taken = 0;
  int absorbed = 0;
  int reports = 0;
  bool is_drained = false;

 private:
  template <class T>
  static std::optional<T> next_of(std::deque<T>& planned) {
    if (planned.empty()) return std::nullopt;
    std::optional<T> next(std::move(planned.front()));
    planned.pop_front();
    return next;
  }

  const Clock& clock_;
  bool is_owner_ = false;
  bool is_giving_up_ = false;
  std::optional<int> turn_;
  MonotonicTime asked_at_ = {};
  MonotonicTime send_until_ = {};
  MonotonicTime next_exchange_ = {};
};

class OwnerLoopTest : public testing::Test {
 protected:
  void round_after(Duration time) {
    clock_.advance(time);
    loop_.run_once(clock_.monotonic());
  }

  testing_support::FakeClock clock_;
  WakeUp wake_up_;
  OwnedNumber owned_{clock_};
  OwnerLoop loop_{owned_, wake_up_, clock_};
};

TEST_F(OwnerLoopTest, TakesAndMakesItsFirstExchangeInOneRound) {
  round_after(1s);
  EXPECT_EQ(owned_.written, std::vector<int>{1});
  EXPECT_EQ(owned_.said, Texts{"taken"});
  EXPECT_EQ(owned_.said_owner, owned_.takers[0]);
  EXPECT_EQ(owned_.reports, 1);
}

TEST_F(OwnerLoopTest, AsksAgainAfterAWhileForWhatSomebodyElseOwns) {
  owned_.planned_takes = {false, false};
  round_after(1s);
  round_after(1ms);
  EXPECT_EQ(owned_.takers.size(), 1U);
  EXPECT_EQ(loop_.next_wake(), clock_.monotonic() + 49ms);
  round_after(49ms);
  EXPECT_EQ(owned_.takers.size(), 2U);
  EXPECT_EQ(owned_.looks, 0);
  round_after(50ms);
  EXPECT_EQ(owned_.said, Texts{"taken"});
}

TEST_F(OwnerLoopTest, TriesATurnAgainThatWasCertainlyNotWritten) {
  owned_.planned_commits = {Error{Errc::store_full, "It was told to fail."}};
  round_after(1s);
  EXPECT_EQ(owned_.said, (Texts{"taken", std::string(to_string(Errc::store_full))}));
  const int settings_taken = owned_.settings_taken;
  round_after(10ms);
  EXPECT_EQ(owned_.tried, (std::vector<int>{1, 1}));
  EXPECT_EQ(owned_.looks, 1) << "it was decided already";
  EXPECT_EQ(owned_.settings_taken, settings_taken) << "it was decided under the old ones";
}

TEST_F(OwnerLoopTest, WaitsLongerAfterEachTrouble) {
  for (int i = 0; i < 3; ++i) owned_.planned_commits.push_back({Errc::store_full, "It was told to fail."});
  round_after(1s);
  for (const Duration wait : {10ms, 20ms, 40ms}) {
    EXPECT_EQ(loop_.next_wake(), clock_.monotonic() + wait);
    const std::size_t tried = owned_.tried.size();
    round_after(wait - 1ms);
    EXPECT_EQ(owned_.tried.size(), tried);
    round_after(1ms);
    EXPECT_EQ(owned_.tried.size(), tried + 1);
  }
  EXPECT_EQ(owned_.written, std::vector<int>{1});
}

TEST_F(OwnerLoopTest, LosesWhatItOwnsWhenATurnIsFencedOrInDoubt) {
  for (const Errc code : {Errc::fenced, Errc::in_doubt}) {
    owned_.said.clear();
    owned_.planned_commits = {Error{code, "It was told to fail."}};
    owned_.want_exchange();
    round_after(1s);
    EXPECT_FALSE(owned_.is_owner());
    EXPECT_FALSE(owned_.has_turn()) << "nobody knows what it would have to follow";
    EXPECT_EQ(owned_.said.back(), "lost");
    EXPECT_TRUE(owned_.last_lease->is_over()) << "nothing of it may leave any more";
    EXPECT_LE(loop_.next_wake(), clock_.monotonic()) << "it is taken anew at once";
    round_after(1s);
    EXPECT_TRUE(owned_.is_owner());
    EXPECT_EQ(owned_.formers.back(), owned_.takers[owned_.takers.size() - 2]) << "our own lease does not keep us out";
    EXPECT_FALSE(owned_.last_lease->is_over());
  }
}

TEST_F(OwnerLoopTest, LosesWhatItOwnsWhenALookIsFencedAndWaitsAfterAnyOtherError) {
  owned_.planned_looks = {Error{Errc::unavailable, "It was told to fail."}, Error{Errc::fenced, "Likewise."}};
  round_after(1s);
  EXPECT_TRUE(owned_.is_owner());
  EXPECT_EQ(owned_.looks, 1);
  round_after(10ms);
  EXPECT_FALSE(owned_.is_owner());
  EXPECT_EQ(owned_.said.back(), "lost");
  EXPECT_TRUE(owned_.tried.empty());
}

TEST_F(OwnerLoopTest, CountsTheLeaseFromBeforeTheStoreWasAsked) {
  round_after(1s);
  owned_.during_commit = [&] { clock_.advance(2s); };
  owned_.want_exchange();
  clock_.advance(1s);
  const MonotonicTime asked_at = clock_.monotonic();
  loop_.run_once(asked_at);
  EXPECT_EQ(owned_.send_until(), asked_at + lease);
}

TEST_F(OwnerLoopTest, KeepsOneLeaseForAllSendsOfAnOwnership) {
  for (int i = 0; i < 3; ++i) {
    owned_.want_exchange();
    round_after(1s);
  }
  EXPECT_EQ(owned_.written, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(owned_.leases.size(), 2U) << "the one of before the taking is over, and was never anybody's";
}

TEST_F(OwnerLoopTest, MakesAnExchangeWhenItIsWoken) {
  round_after(1s);
  round_after(1ms);
  EXPECT_EQ(owned_.looks, 1);
  wake_up_.wake();
  round_after(1ms);
  EXPECT_EQ(owned_.looks, 2);
}

TEST_F(OwnerLoopTest, MakesNoExchangeOnlyBecauseSomethingHasArrived) {
  round_after(1s);
  const int absorbed = owned_.absorbed;
  wake_up_.arrived();
  round_after(1ms);
  EXPECT_GT(owned_.absorbed, absorbed);
  EXPECT_EQ(owned_.looks, 1);
}

TEST_F(OwnerLoopTest, GivesUpWhatItOwnsWhenItStops) {
  round_after(1s);
  loop_.stop(1s);
  EXPECT_TRUE(owned_.is_drained);
  EXPECT_EQ(owned_.said, (Texts{"taken", "stop", "given up"}));
  EXPECT_TRUE(owned_.last_lease->is_over());
  EXPECT_EQ(loop_.next_wake(), MonotonicTime::max());
  round_after(1s);
  EXPECT_EQ(owned_.takers.size(), 1U) << "it does not take it again";
}

TEST_F(OwnerLoopTest, RunsOnAThreadOfItsOwnUntilItStops) {
  OwnedNumber owned(system_clock());
  OwnerLoop loop(owned, wake_up_, system_clock());
  loop.start();
  loop.stop(1s);
  EXPECT_FALSE(owned.is_owner());
  EXPECT_TRUE(owned.is_drained);
}

}  // namespace
}  // namespace makegood::engine
