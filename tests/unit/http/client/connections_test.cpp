// Connections: kept, shared between destinations, limited, and never to another address than the one that was checked.
#include "tests/unit/http/client/at_a_server.hpp"

namespace makegood::http {
namespace {

using testing_support::hang;
using testing_support::HttpReply;
using testing_support::HttpRequest;
using testing_support::reply;
using namespace std::chrono_literals;

class HttpConnections : public AtAServer {
 protected:
  /// `/hang…` hangs, everything else is answered at once.
  static HttpReply by_path(const HttpRequest& request) {
    return request.path.starts_with("/hang") ? hang() : reply(200);
  }
};

TEST_F(HttpConnections, AreUsedAgain) {
  open(reply(200));
  const auto to = to_url(server_->url());
  for (int i = 0; i < 50; ++i) EXPECT_EQ(outcome_of(to).kind, Outcome::Kind::ok);
  EXPECT_EQ(server_->accepted_count(), 1U);
}

TEST_F(HttpConnections, AreUsedAgainByDestinationsOfTheSameHost) {
  open(reply(200));
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(outcome_of(to_url(server_->url("/" + std::to_string(i)))).kind, Outcome::Kind::ok);
  EXPECT_EQ(server_->accepted_count(), 1U);
}

TEST_F(HttpConnections, AreReplacedWhenTheServerHasClosedThem) {
  open(reply(200));
  const auto to = to_url(server_->url());
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(outcome_of(to).kind, Outcome::Kind::ok);
    server_->close_all();
  }
  EXPECT_EQ(server_->accepted_count(), 5U);
}

TEST_F(HttpConnections, AreNeverMoreThanAllowedAndTheOthersWaitForAPlace) {
  constexpr std::size_t count = 300;
  open(reply(200), {.connections_max = 8});
  send(to_url(server_->url()), count);
  ASSERT_TRUE(inbox_.await(count));
  EXPECT_EQ(inbox_.times().size(), count);
  EXPECT_LE(server_->accepted_count(), 8U);
}

TEST_F(HttpConnections, EndTheirWaitForAPlaceAtTheDeadline) {
  open(&by_path, {.connections_max = 4});
  send(to_url(server_->url("/hang"), 100ms), 20);
  ASSERT_TRUE(inbox_.await(20));
  for (const Completion& completion : inbox_.all()) EXPECT_EQ(completion.outcome.kind, Outcome::Kind::retry);
  EXPECT_LT(server_->received_count(), 20U);
}

TEST_F(HttpConnections, AreLeftForTheHealthyWhenManyDestinationsHang) {
  open(&by_path, {.connections_max = 64});
  for (int i = 0; i < 12; ++i) send(to_url(server_->url("/hang" + std::to_string(i))), 50);
  const auto healthy = to_url(server_->url("/healthy"));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(outcome_of(healthy).kind, Outcome::Kind::ok);
}

TEST_F(HttpConnections, AreNotMadeForATenantToThisMachine) {
  open(reply(200), {.tenant_ports = {80, 443, 1}});
  Destination destination = *to_url(server_->url());
  destination.tenant_id = "t1";
  const Outcome outcome = outcome_of(std::make_shared<const Destination>(destination));
  EXPECT_EQ(outcome.kind, Outcome::Kind::fail);
  EXPECT_EQ(outcome.code, "TX.REJECTED");
  EXPECT_EQ(server_->accepted_count(), 0U);
}

TEST_F(HttpConnections, AreMadeForATenantToANetworkThatIsAllowed) {
  auto server = std::make_unique<testing_support::LoopbackServer>([](const HttpRequest&) { return reply(200); });
  transport_ = value_of(new_http_transport({.tenant_networks = {"127.0.0.0/8"}, .tenant_ports = {server->port()}}));
  Destination destination = *to_url(server->url());
  destination.tenant_id = "t1";
  EXPECT_EQ(outcome_of(std::make_shared<const Destination>(destination)).kind, Outcome::Kind::ok);
  transport_.reset();  // Before its server.
}

TEST_F(HttpConnections, AreNeverMadeToAMetadataService) {
  open(reply(200));
  const Outcome outcome = outcome_of(to_url("http://169.254.169.254/latest/meta-data"));
  EXPECT_EQ(outcome.kind, Outcome::Kind::fail);
  EXPECT_EQ(outcome.code, "TX.REJECTED");
}

}  // namespace
}  // namespace makegood::http
