// A relay whose destinations are in the store: operators register them while it runs.
#include <condition_variable>
#include <mutex>
#include <optional>

#include "makegood/dispatcher.hpp"
#include "makegood/handlers.hpp"
#include "stores/memory/memory.hpp"
#include "tests/support/builders.hpp"

namespace makegood {
namespace {

using namespace std::chrono_literals;
using testing_support::a_message;

/// The first delivery that ended in this way.
class HeardOf final : public Observer {
 public:
  void attempts_ended(std::string_view, std::span<const EndedAttempt> deliveries) override {
    const std::scoped_lock lock(mutex_);
    settled_.insert(settled_.end(), deliveries.begin(), deliveries.end());
    changed_.notify_all();
  }
  std::optional<EndedAttempt> wait_for(Fate fate) {
    std::unique_lock lock(mutex_);
    std::optional<EndedAttempt> found;
    changed_.wait_for(lock, 20s, [&] {
      for (const EndedAttempt& one : settled_) {
        if (one.fate == fate) found = one;
      }
      return found.has_value();
    });
    return found;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<EndedAttempt> settled_;
};

class DispatcherRegistry : public testing::Test {
 protected:
  DispatcherRegistry() {
    handlers_.on("*", "all", [](const Delivery&) { return Outcome::ok(); });
    dispatcher_.start();
  }
  /// Everything leads there from now on.
  void register_destination(const std::string& name) {
    const RoutingChange change{.destinations = {{.name = name, .retry = {.attempts_max = 2, .base = 1ms}}},
                               .routes = {{"*", name}}};
    const auto id = operators_->request(
        {.kind = RequestKind::configure, .destination = {}, .operator_name = "ann", .document = encode(change)});
    ASSERT_TRUE(id);
    dispatcher_.wake();
    const auto until = system_clock().monotonic() + 20s;
    while (!operators_->answer_to(*id)->has_value()) {
      ASSERT_LT(system_clock().monotonic(), until) << "nobody carries it out";
      std::this_thread::yield();
    }
    EXPECT_EQ(**operators_->answer_to(*id), "done");
  }
  void enqueue(const std::string& name) {
    const NewMessage message = a_message(name);
    ASSERT_TRUE(producer_->enqueue({&message, 1}));
    dispatcher_.wake();
  }

  std::shared_ptr<memory::Database> database_ = memory::new_database();
  std::unique_ptr<OutboxStore> producer_ = memory::open_store(database_, system_clock());
  std::unique_ptr<OutboxView> operators_ = memory::open_outbox_view(database_, system_clock());
  HeardOf heard_;
  Handlers handlers_;
  Dispatcher dispatcher_{
      memory::open_store(database_, system_clock()), {&handlers_.transport()}, {.is_registry_in_store = true}, &heard_};
};

TEST_F(DispatcherRegistry, DeliversToWhatIsRegisteredWhileItRuns) {
  register_destination("fn:all");
  enqueue("m1");
  const auto delivered = heard_.wait_for(Fate::delivered);
  ASSERT_TRUE(delivered);
  EXPECT_EQ(delivered->destination->name, "fn:all");
}

TEST_F(DispatcherRegistry, TriesAgainWhatNoTransportCarriesAndSaysSo) {
  register_destination("pigeon:roof");
  enqueue("m1");
  const auto retried = heard_.wait_for(Fate::retried);
  ASSERT_TRUE(retried);
  EXPECT_EQ(retried->code, "PROVIDER.UNAVAILABLE");
  EXPECT_EQ(retried->detail, "No transport here is called 'pigeon'; those that are: fn.");
}

TEST_F(DispatcherRegistry, DeliversToTheOthersBesideWhatNoTransportCarries) {
  register_destination("pigeon:roof");
  register_destination("fn:all");
  enqueue("m1");
  EXPECT_TRUE(heard_.wait_for(Fate::delivered));
  EXPECT_TRUE(heard_.wait_for(Fate::retried));
}

}  // namespace
}  // namespace makegood
