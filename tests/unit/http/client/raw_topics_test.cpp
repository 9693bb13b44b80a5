// A topic that is an address itself: whoever may enqueue chooses it, so it is guarded as a tenant's.
#include "tests/unit/http/client/at_a_server.hpp"

namespace makegood::http {
namespace {

using testing_support::reply;

class HttpRawTopics : public AtAServer {
 protected:
  HttpRawTopics() { open(reply(200)); }

  /// What becomes of a message with the topic `http:<url>`, at a destination of the operator's own that takes it.
  Outcome outcome_at(const std::string& url, const HttpOptions& options) {
    transport_ = value_of(new_http_transport(options));
    const auto raw = value_of(http_destination("raw", {.raw_prefixes = {url}}));
    return outcome_of(std::make_shared<const Destination>(raw), {.topic = "http:" + url + "/7"});
  }
  void expect_refused(const Outcome& outcome, std::string_view setting) {
    EXPECT_EQ(outcome.kind, Outcome::Kind::fail);
    EXPECT_EQ(outcome.code, "TX.REJECTED");
    EXPECT_NE(outcome.detail.find(setting), std::string::npos) << outcome.detail;
    EXPECT_EQ(server_->accepted_count(), 0U) << "nobody was called";
  }
  std::string origin() const { return server_->url(""); }
};

TEST_F(HttpRawTopics, LeadToTheirUrlWhereTenantsMayGo) {
  const Outcome outcome = outcome_at(origin(), {.tenant_networks = {"127.0.0.0/8"}, .tenant_ports = {server_->port()}});
  EXPECT_EQ(outcome.kind, Outcome::Kind::ok) << outcome.detail;
  ASSERT_EQ(server_->received_count(), 1U);
  EXPECT_EQ(server_->received().front().path, "/7");
}

TEST_F(HttpRawTopics, NeverLeadToThisMachine) {
  expect_refused(outcome_at(origin(), {.tenant_ports = {server_->port()}}), "tenant_networks");
}

TEST_F(HttpRawTopics, NeverLeadToThisMachineByItsName) {
  const std::string url = "http://localhost:" + std::to_string(server_->port());
  expect_refused(outcome_at(url, {.tenant_networks = {"127.0.0.0/8"}, .tenant_ports = {server_->port()}}),
                 "this machine");
}

TEST_F(HttpRawTopics, NeverLeadToPortsThatTenantsMayNotHave) {
  expect_refused(outcome_at(origin(), {.tenant_networks = {"127.0.0.0/8"}}), "tenant_ports");
  expect_refused(outcome_at("http://127.0.0.1:22", {.tenant_networks = {"127.0.0.0/8"}}), "Port 22");
}

}  // namespace
}  // namespace makegood::http
