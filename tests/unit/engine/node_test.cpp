// What an application opens, on the process' own store in memory: each test has topics of its own.
#include "makegood/node.hpp"

#include <semaphore>

#include "makegood/http.hpp"
#include "makegood/spi/registry.hpp"

namespace makegood {
namespace {

using namespace std::chrono_literals;

constexpr Duration arrives_within = 20s;

void enqueue(const std::string& topic) {
  const NewMessage message{.topic = topic, .payload = "{}"};
  open_store("memory:", "makegood_outbox").value()->enqueue({&message, 1}).value();
}

/// Answers ok to everything.
class Carrier final : public Transport {
 public:
  explicit Carrier(std::counting_semaphore<>& carried) : carried_(carried) {}
  TransportFeatures features() const override { return {.scheme = "carrier"}; }
  void send(std::vector<Delivery> deliveries, Completions& done) override {
    for (const Delivery& delivery : deliveries) {
      done.post({{.ticket = delivery.ticket}});
      carried_.release();
    }
  }
  void drain(Completions& /*done*/, Duration /*grace*/) override {}

 private:
  std::counting_semaphore<>& carried_;
};

TEST(Node, CallsAFunctionByItsOtherName) {
  std::counting_semaphore<> arrived(0);
  Node node = Node::open("memory:").value();
  node.on("nothing", "alias", [&](const Delivery& delivery) {
    if (delivery.destination->name == "custom:alias") arrived.release();
    return Outcome::ok();
  });
  node.route("alias.*", {.name = "custom:alias"});
  node.start().value();
  enqueue("alias.called");
  node.wake();
  EXPECT_TRUE(arrived.try_acquire_for(arrives_within));
}

TEST(Node, CallsAFunctionForEachMessageOfItsTopics) {
  std::counting_semaphore<> arrived(0);
  Node node = Node::open("memory:").value();
  node.on("function.*", "billing", [&](const Delivery&) {
    arrived.release();
    return Outcome::ok();
  });
  node.start().value();
  enqueue("function.called");
  node.wake();
  EXPECT_TRUE(arrived.try_acquire_for(arrives_within));
}

TEST(Node, TakesATransportOfTheApplication) {
  std::counting_semaphore<> carried(0);
  Node node = Node::open("memory:").value();
  node.route("carried.*", {.name = "carrier:pigeon"}).add(std::make_unique<Carrier>(carried));
  node.start().value();
  enqueue("carried.away");
  node.wake();
  EXPECT_TRUE(carried.try_acquire_for(arrives_within));
  node.stop();
}

TEST(Node, RefusesADestinationThatNothingCarriesTo) {
  std::counting_semaphore<> carried(0);
  Node node = Node::open("memory:").value();
  node.on("function.*", "billing", [](const Delivery&) { return Outcome::ok(); });
  node.route("carried.*", {.name = "carrier:pigeon"});
  const Result<> refused = node.start();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::invalid);
  EXPECT_NE(refused.error().message.find("carrier:pigeon"), std::string::npos) << refused.error().message;
  node.add(std::make_unique<Carrier>(carried));
  EXPECT_TRUE(node.start());
}

TEST(Node, OpensTheTransportThatADestinationNeeds) {
  Node node = Node::open("memory:").value();
  const Destination billing = http_destination("billing", {.url = "http://127.0.0.1:9/"}).value();
  EXPECT_TRUE(node.route("paid.*", billing).route("refunded.*", billing).start());
}

TEST(Node, LetsAnEventLoopRunTheRelay) {
  std::counting_semaphore<> arrived(0);
  Node node = Node::open("memory:").value();
  node.on("looped.*", "billing", [&](const Delivery&) {
    arrived.release();
    return Outcome::ok();
  });
  Dispatcher* const relay = node.relay().value();
  enqueue("looped.once");
  bool has_arrived = false;
  for (const auto until = system_clock().monotonic() + arrives_within;
       !has_arrived && system_clock().monotonic() < until;) {
    relay->run_once(system_clock().monotonic() + 10ms);
    has_arrived = arrived.try_acquire();
  }
  EXPECT_TRUE(has_arrived);
}

}  // namespace
}  // namespace makegood
