// What a tenant's broker may be: the guard of HTTP, with other ports.
#include <gtest/gtest.h>

#include "makegood/brokers.hpp"
#include "transports/nats/dialect.hpp"

namespace makegood::nats {
namespace {

std::string refusal_of(const std::string& server, const std::string& tenant, const BrokerOptions& options = {},
                       NatsSettings settings = {}) {
  settings.access.servers = {server};
  settings.subject = "orders";
  const Destination destination{.name = "nats:orders", .tenant_id = tenant, .settings = encode(settings)};
  const auto target = Dialect().target(destination, options);
  return target ? "none" : target.error().message;
}

TEST(TenantsBrokers, PassTheGuard) {
  EXPECT_EQ(refusal_of("nats://127.0.0.1:4222", ""), "none");
  EXPECT_NE(refusal_of("nats://127.0.0.1:4222", "a"), "none");
  EXPECT_NE(refusal_of("nats://localhost:4222", "a"), "none");
  EXPECT_NE(refusal_of("nats://169.254.169.254:4222", ""), "none");
  EXPECT_EQ(refusal_of("nats://nats.example.com:4222", "a"), "none");
  EXPECT_EQ(refusal_of("nats://10.20.0.1:4222", "a", {.network = {.tenant_networks = {"10.20.0.0/16"}}}), "none");
}

TEST(TenantsBrokers, HaveThePortsOfTheirSetting) {
  EXPECT_NE(refusal_of("nats://nats.example.com:22", "a").find("`brokers.tenant_ports`"), std::string::npos);
  EXPECT_EQ(refusal_of("nats://nats.example.com:22", "a", {.tenant_ports = {22}}), "none");
}

TEST(TenantsBrokers, HaveSecretsOfTheirOwnOnly) {
  const NatsSettings settings{.token = "env:MAKEGOOD_SECRET_NATS"};
  EXPECT_EQ(refusal_of("nats://nats.example.com", "", {}, settings), "none");
  EXPECT_NE(refusal_of("nats://nats.example.com", "a", {}, settings).find("http.tenant_secrets"), std::string::npos);
  EXPECT_NE(refusal_of("nats://nats.example.com", "", {}, {.token = "s3cret"}).find("where the secret is"),
            std::string::npos);
}

}  // namespace
}  // namespace makegood::nats
