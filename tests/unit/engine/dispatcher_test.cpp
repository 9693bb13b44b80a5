// A whole relay in one process: handlers, a store in memory, the loop with its own thread or without.
#include "makegood/dispatcher.hpp"

#include <poll.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "base/forwarding_store.hpp"
#include "makegood/handlers.hpp"
#include "stores/memory/database.hpp"
#include "stores/memory/memory.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/fake_clock.hpp"

namespace makegood {
namespace {

using namespace std::chrono_literals;
using testing_support::a_message;
using testing_support::name_of;

constexpr Duration patience = 20s;

/// What handlers received, by name, in order.
class Received {
 public:
  void add(const Delivery& delivery) {
    const std::scoped_lock lock(mutex_);
    names_.push_back(name_of(*delivery.message));
    changed_.notify_all();
  }
  std::vector<std::string> wait_for(std::size_t count) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [&] { return names_.size() >= count; });
    return names_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> names_;
};

/// What the loop says of itself.
class Heard final : public Observer {
 public:
  void attempts_ended(std::string_view, std::span<const EndedAttempt> deliveries) override {
    const std::scoped_lock lock(mutex_);
    for (const EndedAttempt& one : deliveries) fates_.push_back(one.fate);
    changed_.notify_all();
  }
  void ownership(std::string_view, std::string_view what, const std::string&) override {
    const std::scoped_lock lock(mutex_);
    ownership_.emplace_back(what);
    changed_.notify_all();
  }
  void alarm(std::string_view, const Error& error) override {
    const std::scoped_lock lock(mutex_);
    alarms_.insert(error.code);
    changed_.notify_all();
  }
  bool wait_for_fate(Fate fate) {
    return wait([&] { return std::ranges::find(fates_, fate) != fates_.end(); });
  }
  bool wait_for_count(std::size_t count) {
    return wait([&] { return fates_.size() >= count; });
  }
  bool wait_for_alarm(Errc code) {
    return wait([&] { return alarms_.contains(code); });
  }
  bool wait_for_ownership(const std::string& what) {
    return wait([&] { return std::ranges::find(ownership_, what) != ownership_.end(); });
  }

 private:
  template <class Condition>
  bool wait(Condition condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, condition);
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Fate> fates_;
  std::vector<std::string> ownership_;
  std::set<Errc> alarms_;
};

/// Passes everything on, and fails commits as it is told.
class FaultyStore final : public ForwardingStore {
 public:
  FaultyStore(std::unique_ptr<OutboxStore> store, std::atomic<int>& commits_to_fail, Errc code)
      : ForwardingStore(std::move(store)), commits_to_fail_(commits_to_fail), code_(code) {}
  Result<Committed> commit(const Turn& turn) override {
    if (commits_to_fail_.fetch_sub(1) > 0) return Error{code_, "It was told to fail."};
    return ForwardingStore::commit(turn);
  }

 private:
  std::atomic<int>& commits_to_fail_;
  Errc code_;
};

/// Its database falls back to what it was, once, right before a look.
class ForgetfulStore final : public ForwardingStore {
 public:
  ForgetfulStore(std::unique_ptr<OutboxStore> store, std::shared_ptr<memory::Database> database, memory::State state)
      : ForwardingStore(std::move(store)), database_(std::move(database)), state_(std::move(state)) {}
  Result<Found> look(const LookFor& wanted) override {
    if (state_) database_->restore(*std::exchange(state_, std::nullopt));
    return ForwardingStore::look(wanted);
  }

 private:
  std::shared_ptr<memory::Database> database_;
  std::optional<memory::State> state_;
};

class DispatcherStory : public testing::Test {
 protected:
  std::unique_ptr<OutboxStore> connect() { return memory::open_store(database_, system_clock()); }
  void enqueue(const std::vector<NewMessage>& messages) { ASSERT_TRUE(producer_->enqueue(messages)); }

  Dispatcher relay(std::unique_ptr<OutboxStore> store, DispatcherOptions options = {}) {
    options.destinations = handlers_.destinations();
    options.routes = handlers_.routes();
    return {std::move(store), {&handlers_.transport()}, std::move(options), &heard_};
  }
  void receive_all() {
    handlers_.on("*", "all", [this](const Delivery& delivery) {
      received_.add(delivery);
      return Outcome::ok();
    });
  }

  std::shared_ptr<memory::Database> database_ = memory::new_database();
  std::unique_ptr<OutboxStore> producer_ = connect();
  Received received_;
  Heard heard_;
  Handlers handlers_;
};

using Names = std::vector<std::string>;

TEST_F(DispatcherStory, DeliversWhatIsThereAndWhatComesLater) {
  receive_all();
  enqueue({a_message("before").with_key("k")});
  Dispatcher dispatcher = relay(connect());
  dispatcher.start();
  EXPECT_EQ(received_.wait_for(1), Names({"before"}));
  enqueue({a_message("after").with_key("k")});
  dispatcher.wake();
  EXPECT_EQ(received_.wait_for(2), Names({"before", "after"}));
  dispatcher.stop();
  EXPECT_TRUE(heard_.wait_for_ownership("given up"));
}

TEST_F(DispatcherStory, NoticesACommitThatNobodyAnnounced) {
  receive_all();
  Dispatcher dispatcher = relay(connect(), {.safety_interval = 1h});
  dispatcher.start();
  ASSERT_TRUE(heard_.wait_for_ownership("taken"));
  enqueue({a_message("m1")});
  EXPECT_EQ(received_.wait_for(1), Names({"m1"}));
}

TEST_F(DispatcherStory, RetriesUntilTheHandlerIsContent) {
  std::atomic<int> calls = 0;
  const Destination impatient{.retry = {.base = 1ms, .cap = 1ms}};
  handlers_.on(
      "*", "moody",
      [&](const Delivery& delivery) {
        if (++calls < 3) return Outcome::retry("NOT_YET");
        EXPECT_EQ(delivery.attempt, 3U);
        received_.add(delivery);
        return Outcome::ok();
      },
      impatient);
  enqueue({a_message("m1")});
  Dispatcher dispatcher = relay(connect());
  dispatcher.start();
  EXPECT_EQ(received_.wait_for(1), Names({"m1"}));
}

TEST_F(DispatcherStory, RunsInTheCallersOwnLoopWithoutAThread) {
  receive_all();
  Dispatcher dispatcher = relay(connect());
  enqueue({a_message("m1")});
  for (int i = 0; i < 1000 && received_.wait_for(0).empty(); ++i) {
    dispatcher.run_once(system_clock().monotonic() + 10ms);
  }
  EXPECT_EQ(received_.wait_for(1), Names({"m1"}));
}

TEST_F(DispatcherStory, ShowsOnItsDescriptorThatThereIsSomethingToDo) {
  receive_all();
  Dispatcher dispatcher = relay(connect());
  while (dispatcher.run_once(system_clock().monotonic())) continue;
  dispatcher.wake();
  pollfd event{.fd = dispatcher.wake_descriptor(), .events = POLLIN, .revents = 0};
  EXPECT_EQ(poll(&event, 1, 0), 1);
  dispatcher.run_once(system_clock().monotonic());
  EXPECT_EQ(poll(&event, 1, 0), 0);
}

TEST_F(DispatcherStory, TriesTheSameTurnAgainWhenTheStoreFailedForCertain) {
  receive_all();
  enqueue({a_message("m1")});
  std::atomic<int> commits_to_fail = 3;
  Dispatcher dispatcher = relay(std::make_unique<FaultyStore>(connect(), commits_to_fail, Errc::store_full));
  dispatcher.start();
  EXPECT_EQ(received_.wait_for(1), Names({"m1"}));
  EXPECT_TRUE(heard_.wait_for_alarm(Errc::store_full));
  dispatcher.stop();
  EXPECT_EQ(received_.wait_for(1), Names({"m1"})) << "a certain failure costs no duplicate";
}

TEST_F(DispatcherStory, TakesTheLaneAnewWhenACommitIsInDoubt) {
  receive_all();
  enqueue({a_message("m1")});
  std::atomic<int> commits_to_fail = 1;
  Dispatcher dispatcher = relay(std::make_unique<FaultyStore>(connect(), commits_to_fail, Errc::in_doubt));
  dispatcher.start();
  EXPECT_EQ(received_.wait_for(1), Names({"m1"}));
  EXPECT_TRUE(heard_.wait_for_ownership("lost"));
}

TEST_F(DispatcherStory, TakesTheLaneAnewWhenTheDatabaseForgotItsTakingBeforeTheFirstLook) {
  receive_all();
  const memory::State before = database_->snapshot();
  enqueue({a_message("m1")});
  {
    Dispatcher first = relay(connect());
    first.start();
    ASSERT_EQ(received_.wait_for(1), Names({"m1"}));
  }
  Handlers others;
  Received received_by_others;
  others.on("*", "all", [&](const Delivery& delivery) {
    received_by_others.add(delivery);
    return Outcome::ok();
  });
  // The counter will be below the position that the second relay has taken.
  Dispatcher second(std::make_unique<ForgetfulStore>(connect(), database_, before), {&others.transport()},
                    {.destinations = others.destinations(), .routes = others.routes(), .lease = 500ms}, &heard_);
  second.start();
  ASSERT_TRUE(heard_.wait_for_alarm(Errc::fenced)) << "its taking is not the last turn";
  ASSERT_TRUE(heard_.wait_for_ownership("lost"));
  enqueue({a_message("m2")});
  second.wake();
  EXPECT_EQ(received_by_others.wait_for(1), Names({"m2"}));
}

/// Whether the lane's owner says that it is one.
struct OwnerSays final : Observer {
  void figures(std::string_view, const LaneFigures& figures) override { is_owner = figures.is_owner; }
  bool is_owner = false;
};

TEST_F(DispatcherStory, DoesNotCallItselfTheOwnerWhenItsLeaseIsOver) {  // Another may have taken over by then.
  testing_support::FakeClock clock;
  OwnerSays said;
  std::atomic<int> commits_to_fail = 0;
  auto store = std::make_unique<FaultyStore>(memory::open_store(database_, clock), commits_to_fail, Errc::store_full);
  Dispatcher dispatcher(std::move(store), {&handlers_.transport()}, {.lease = 9s}, &said, clock);
  const auto is_owner_after = [&](Duration duration) {
    clock.advance(duration);
    for (int i = 0; i < 3; ++i) dispatcher.run_once(clock.monotonic());
    return said.is_owner;
  };
  EXPECT_TRUE(is_owner_after(1ms));
  EXPECT_TRUE(is_owner_after(5s)) << "it renews its lease";
  commits_to_fail = 1000;
  EXPECT_TRUE(is_owner_after(5s));
  EXPECT_FALSE(is_owner_after(5s));
  commits_to_fail = 0;
  EXPECT_TRUE(is_owner_after(2s)) << "nobody had taken over";
}

TEST_F(DispatcherStory, LetsAnotherRelayGoOnWhenItStops) {
  receive_all();
  Dispatcher first = relay(connect());
  first.start();
  enqueue({a_message("m1")});
  first.wake();
  ASSERT_EQ(received_.wait_for(1), Names({"m1"}));

  Handlers others;
  Received received_by_others;
  others.on("*", "all", [&](const Delivery& delivery) {
    received_by_others.add(delivery);
    return Outcome::ok();
  });
  Dispatcher second(connect(), {&others.transport()},
                    {.destinations = others.destinations(), .routes = others.routes()});
  second.start();
  first.stop();
  enqueue({a_message("m2")});
  second.wake();
  EXPECT_EQ(received_by_others.wait_for(1), Names({"m2"}));
}

TEST_F(DispatcherStory, RecordsWhatEndsWhileItStops) {
  std::atomic<bool> may_end = false;
  std::atomic<bool> has_begun = false;
  handlers_.on("*", "slow", [&](const Delivery& delivery) {
    has_begun = true;
    has_begun.notify_all();
    may_end.wait(false);
    received_.add(delivery);
    return Outcome::ok();
  });
  enqueue({a_message("m1")});
  Dispatcher dispatcher = relay(connect());
  dispatcher.start();
  has_begun.wait(false);
  std::jthread stopper([&] { dispatcher.stop(); });
  may_end = true;
  may_end.notify_all();
  stopper.join();
  EXPECT_EQ(received_.wait_for(1), Names({"m1"}));

  const auto taken = connect()->take("next", 10s, "");
  ASSERT_TRUE(taken && *taken);
  EXPECT_TRUE((*taken)->position.under_way.empty()) << "the next owner does not repeat it";
}

TEST_F(DispatcherStory, GoesOnBesideAHandlerThatNeverReturns) {
  std::atomic<bool> may_end = false;
  handlers_ = Handlers({.threads = 1});
  handlers_.on("stuck", "stuck",
               [&](const Delivery&) {
                 may_end.wait(false);
                 return Outcome::ok();
               },
               {.timeout = 20ms});
  handlers_.on("orders.*", "all", [this](const Delivery& delivery) {
    received_.add(delivery);
    return Outcome::ok();
  });
  enqueue({a_message("hangs").with_topic("stuck"), a_message("m2")});
  Dispatcher dispatcher = relay(connect());
  dispatcher.start();
  EXPECT_EQ(received_.wait_for(1), Names({"m2"}));
  EXPECT_TRUE(heard_.wait_for_fate(Fate::retried));
  may_end = true;
  may_end.notify_all();
  dispatcher.stop();
}

TEST_F(DispatcherStory, TakesNewSettingsWhileItRuns) {
  receive_all();
  Dispatcher dispatcher = relay(connect());
  dispatcher.start();
  enqueue({a_message("m1")});
  dispatcher.wake();
  ASSERT_EQ(received_.wait_for(1), Names({"m1"}));
  dispatcher.reconfigure({.destinations = handlers_.destinations(), .routes = {}});
  // What the relay was reading at that moment may still go by the old routes.
  for (const char* name : {"m2", "m3"}) {
    enqueue({a_message(name)});
    dispatcher.wake();
    ASSERT_TRUE(heard_.wait_for_count(name == std::string_view("m2") ? 2 : 3));
  }
  EXPECT_TRUE(heard_.wait_for_fate(Fate::died)) << "no route leads anywhere any more";
}

}  // namespace
}  // namespace makegood
