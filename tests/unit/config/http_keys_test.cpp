#include <gtest/gtest.h>

#include "config/value.hpp"
#include "tests/unit/config/sources.hpp"

namespace makegood::config {
namespace {

using namespace std::chrono_literals;

TEST(HttpKeys, AreReadFromTheirSection) {
  const HttpOptions http = load_yaml(R"(
http: {threads: 3, connections_max: 100, connect_timeout_ms: 1s, response_bytes_max: 8KiB, slow_bytes_per_second: 1,
       slow_after_ms: 2s, tenant_networks: [10.20.0.0/16, "fd00::/8"], tenant_ports: [443, 8443],
       tenant_secrets: ["file:/run/secrets/{tenant}/"], dns_servers: ["127.0.0.1:5353", "::1"]}
)")
                               .config.http;
  EXPECT_EQ(http.threads, 3U);
  EXPECT_EQ(http.connections_max, 100U);
  EXPECT_EQ(http.connect_timeout, 1s);
  EXPECT_EQ(http.response_bytes_max, 8U << 10U);
  EXPECT_EQ(http.slow_bytes_per_second, 1U);
  EXPECT_EQ(http.slow_after, 2s);
  EXPECT_EQ(http.tenant_networks, (Lines{"10.20.0.0/16", "fd00::/8"}));
  EXPECT_EQ(http.tenant_ports, (std::vector<std::uint16_t>{443, 8443}));
  EXPECT_EQ(http.tenant_secrets, (Lines{"file:/run/secrets/{tenant}/"}));
  EXPECT_EQ(http.dns_servers, (Lines{"127.0.0.1:5353", "::1"}));
}

TEST(HttpKeys, HaveDefaultsThatHttpTakes) { EXPECT_TRUE(check_http_options(Config{}.http)); }

TEST(HttpKeys, TellEveryMistake) {
  EXPECT_EQ(
      mistakes_in("http: {tenant_networks: [10.0.0.0/8, 10.1.0.0/8], tenant_ports: [443, 70000],\n"
                  "       tenant_secrets: [whsec_x], dns_servers: [localhost]}\n"),
      (Lines{"makegood.yaml:1: http.tenant_ports '[443, 70000]' has '70000', which is out of range; allowed: at "
             "most 100, each 1 to 65535",
             "makegood.yaml:1: http.tenant_networks '10.1.0.0/8' is not a network; allowed: networks as in "
             "10.20.0.0/16 or fd00::/8",
             "makegood.yaml:2: http.tenant_secrets '[whsec_x]' has 'whsec_x', which is not the beginning of a "
             "reference; allowed: beginnings as in file:/run/secrets/tenants/{tenant}/ or env:TENANT_",
             "makegood.yaml:2: http.dns_servers 'localhost' is not an address; allowed: numbers with or without a "
             "port, as in 127.0.0.1:53 or [::1]:53"}));
}

TEST(HttpKeys, WarnOfSecretsThatAllTenantsShare) {
  const Loaded loaded = load_yaml("http.tenant_secrets: ['env:TENANT_{tenant}_', 'env:SHARED_']\n");
  ASSERT_EQ(loaded.findings.warnings.size(), 1U);
  EXPECT_EQ(loaded.findings.warnings[0].key, "http.tenant_secrets");
}

TEST(EnqueueKeys, WarnOfPayloadsThatNoBodyHasRoomFor) {
  const Loaded loaded = load_yaml("tx.outbox.payload_bytes_max: 2MiB\nserver.body_bytes_max: 1MiB\n");
  ASSERT_EQ(loaded.findings.warnings.size(), 1U);
  EXPECT_EQ(loaded.findings.warnings[0].key, "tx.outbox.payload_bytes_max");
}

}  // namespace
}  // namespace makegood::config
