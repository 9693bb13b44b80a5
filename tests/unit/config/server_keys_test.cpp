#include <gtest/gtest.h>

#include "config/keys.hpp"
#include "config/value.hpp"
#include "tests/unit/config/sources.hpp"

namespace makegood::config {
namespace {

using namespace std::chrono_literals;

TEST(ServerKeys, AreReadFromTheirSection) {
  const Config config = load_yaml(R"(
server: {listen: "[::1]:0", token_file: tokens, doorbell: bell, workers: 4, connections_max: 100, streams_max: 5,
         header_bytes_max: 8KiB, body_bytes_max: 1MiB, header_timeout_ms: 1s, body_timeout_ms: 2s, idle_timeout_ms: 3s,
         shutdown_grace_ms: 4s, access_log: true}
metrics: {enabled: false, path: /figures}
)")
                            .config;
  EXPECT_EQ(config.server.listen, "[::1]:0");
  EXPECT_EQ(config.server.token_file, "tokens");
  EXPECT_EQ(config.server.doorbell, "bell");
  EXPECT_EQ(config.server.workers, 4U);
  EXPECT_EQ(config.server.connections_max, 100U);
  EXPECT_EQ(config.server.streams_max, 5U);
  EXPECT_EQ(config.server.header_bytes_max, 8U << 10U);
  EXPECT_EQ(config.server.body_bytes_max, 1U << 20U);
  EXPECT_EQ(config.server.header_timeout, 1s);
  EXPECT_EQ(config.server.body_timeout, 2s);
  EXPECT_EQ(config.server.idle_timeout, 3s);
  EXPECT_EQ(config.server.shutdown_grace, 4s);
  EXPECT_TRUE(config.server.has_access_log);
  EXPECT_FALSE(config.metrics.is_enabled);
  EXPECT_EQ(config.metrics.path, "/figures");
}

TEST(ServerKeys, HaveTheVariablesThatOthersKnow) {
  const Loaded loaded = load({.environment = {{"PROMETHEUS_METRICS_ENABLED", "false"},
                                              {"PROMETHEUS_METRICS_PATH", "/p"},
                                              {"MAKEGOOD_TOKENS", "viewer a 0123456789abcdef"}}});
  EXPECT_FALSE(loaded.config.metrics.is_enabled);
  EXPECT_EQ(loaded.config.metrics.path, "/p");
  EXPECT_TRUE(loaded.findings.warnings.empty());
}

TEST(ServerKeys, RefuseWhatIsNoAddressAndNoPath) {
  for (const char* text : {"7700", ":7700", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:http"}) {
    EXPECT_EQ(mistakes_in(std::string("server.listen: '") + text + "'\n").size(), 1U) << text;
  }
  for (const char* text : {"metrics", "/", "/a b", "/a?b"}) {
    EXPECT_EQ(mistakes_in(std::string("metrics.path: '") + text + "'\n").size(), 1U) << text;
  }
  EXPECT_EQ(
      mistakes_in("server.listen: 7700\n").front(),
      "makegood.yaml:1: server.listen '7700' is not an address; allowed: a number and a port, as in 127.0.0.1:7700 "
      "or [::1]:7700");
}

}  // namespace
}  // namespace makegood::config
