// The end of a lane at the transport, and of the transport.
#include <thread>

#include "tests/support/event.hpp"
#include "tests/unit/http/client/at_a_server.hpp"

namespace makegood::http {
namespace {

using testing_support::hang;
using testing_support::quiet;
using testing_support::reply;
using namespace std::chrono_literals;

class HttpStop : public AtAServer {};

TEST_F(HttpStop, LetsWhatIsUnderWayEndWithinTheGrace) {
  open(hang());
  send(to_url(server_->url()), 20);
  ASSERT_TRUE(server_->await_received(20));
  const auto before = std::chrono::steady_clock::now();
  std::jthread stopper([this] { transport_->drain(inbox_, 20s); });
  server_->release();
  stopper.join();
  EXPECT_EQ(inbox_.times().size(), 20U);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 10s) << "the grace is a limit, not a wait";
}

TEST_F(HttpStop, ReturnsAtOnceWhenNothingIsUnderWay) {
  open(reply(200));
  EXPECT_EQ(outcome_of(to_url(server_->url())).kind, Outcome::Kind::ok);
  const auto before = std::chrono::steady_clock::now();
  transport_->drain(inbox_, 20s);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 5s);
}

TEST_F(HttpStop, ClosesItsConnectionsAndTellsNobodyWhatItGaveUp) {
  open(hang());
  send(to_url(server_->url()), 20);
  ASSERT_TRUE(server_->await_received(20));
  transport_->drain(inbox_, 0ms);
  EXPECT_EQ(inbox_.size(), 0U);
  EXPECT_TRUE(server_->await_all_closed());
  server_->release();
  EXPECT_FALSE(inbox_.await(1, quiet));
}

TEST_F(HttpStop, ForgetsWhatWaitsForAPlace) {
  open(hang(), {.connections_max = 4});
  send(to_url(server_->url()), 20);
  ASSERT_TRUE(server_->await_received(2));
  std::jthread stopper([this] { transport_->drain(inbox_, 20s); });
  // Whatever had started is answered; whether it had is a race with the thread that stops.
  server_->release();
  stopper.join();
  EXPECT_EQ(inbox_.times().size(), server_->received_count());
}

TEST_F(HttpStop, IsNotNeededBeforeTheEnd) {
  open(hang());
  send(to_url(server_->url()), 20);
  ASSERT_TRUE(server_->await_received(20));
  transport_.reset();
  EXPECT_EQ(inbox_.size(), 0U);
}

/// A lane that hands over the next delivery as soon as it hears of one.
class Chain final : public Completions {
 public:
  void post(std::vector<Report> reports) override {
    for (std::size_t i = 0; i < reports.size(); ++i) next();
  }
  void next() {
    std::vector<Delivery> one;
    one.push_back({.message = testing_support::committed_message({}),
                   .destination = to,
                   .outbox = "makegood_outbox",
                   .attempt = 1,
                   .ticket = 1});
    posted.happen();
    transport->send(std::move(one), *this);
  }
  Transport* transport = nullptr;
  DestinationPtr to;
  testing_support::Event posted;
};

TEST_F(HttpStop, EndsASenderThatNeverEnds) {
  open(reply(200));
  Chain chain;
  chain.transport = transport_.get();
  chain.to = to_url(server_->url());
  for (int i = 0; i < 8; ++i) chain.next();
  ASSERT_TRUE(chain.posted.await(100));
  transport_->drain(chain, 20s);
  const std::size_t count = chain.posted.count();
  EXPECT_FALSE(chain.posted.await(count + 1, quiet));
}

}  // namespace
}  // namespace makegood::http
