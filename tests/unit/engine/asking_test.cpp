// How often the loop asks a store that gives no sign of changes.
#include "base/forwarding_store.hpp"
#include "makegood/dispatcher.hpp"
#include "makegood/handlers.hpp"
#include "stores/memory/memory.hpp"
#include "tests/support/builders.hpp"

namespace makegood {
namespace {

using namespace std::chrono_literals;
using testing_support::a_message;

class CountingStore final : public ForwardingStore {
 public:
  CountingStore(std::unique_ptr<OutboxStore> store, int& questions)
      : ForwardingStore(std::move(store)), questions_(questions) {}
  bool has_changed() override {
    ++questions_;
    return ForwardingStore::has_changed();
  }

 private:
  int& questions_;
};

class Asking : public testing::Test {
 protected:
  Asking() {
    handlers_.on("*", "all", [](const Delivery&) { return Outcome::ok(); });
    dispatcher_.emplace(std::make_unique<CountingStore>(memory::open_store(database_, system_clock()), questions_),
                        std::vector{&handlers_.transport()},
                        DispatcherOptions{.destinations = handlers_.destinations(),
                                          .routes = handlers_.routes(),
                                          .poll_interval = 1h,
                                          .safety_interval = 1h});
    run_for(20ms);  // It has taken the lane, asked once, and found nothing.
    EXPECT_LE(questions_, 1);
  }
  void run_for(Duration time) {
    for (const auto until = system_clock().monotonic() + time; system_clock().monotonic() < until;) {
      dispatcher_->run_once(until);
    }
  }

  std::shared_ptr<memory::Database> database_ = memory::new_database();
  Handlers handlers_;
  int questions_ = 0;
  std::optional<Dispatcher> dispatcher_;
};

TEST_F(Asking, IsRareWhileNothingComes) {
  run_for(50ms);
  EXPECT_LE(questions_, 1);
}

TEST_F(Asking, IsFrequentAfterSomethingHasCome) {
  ASSERT_TRUE(memory::open_store(database_, system_clock())->enqueue(std::vector<NewMessage>{a_message("m1")}));
  dispatcher_->wake();
  for (int i = 0; i < 1000 && questions_ < 5; ++i) run_for(10ms);
  EXPECT_GE(questions_, 5);
}

TEST_F(Asking, BecomesRareAgain) {
  ASSERT_TRUE(memory::open_store(database_, system_clock())->enqueue(std::vector<NewMessage>{a_message("m1")}));
  dispatcher_->wake();
  run_for(300ms);
  const int before = questions_;
  run_for(50ms);
  EXPECT_EQ(questions_, before);
}

}  // namespace
}  // namespace makegood
