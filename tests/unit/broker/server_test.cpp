#include "transports/broker/server.hpp"

#include <gtest/gtest.h>

namespace makegood::broker {
namespace {

constexpr ServerSchemes schemes{.plain = "amqp", .plain_port = 5672, .tls = "amqps", .tls_port = 5671};

std::string read(std::string_view url) {
  const auto server = parse_server(url, schemes);
  return server ? shown(*server) + (server->is_tls ? " tls" : "") : server.error().message;
}

TEST(BrokerServer, IsAHostAndAPort) {
  EXPECT_EQ(read("amqp://Rabbit.Example."), "rabbit.example:5672");
  EXPECT_EQ(read("amqps://rabbit:1"), "rabbit:1 tls");
  EXPECT_EQ(read("amqp://127.0.0.1:5673"), "127.0.0.1:5673");
  EXPECT_EQ(read("amqps://[::1]"), "[::1]:5671 tls");
}

TEST(BrokerServer, HoldsNoSecret) {
  EXPECT_EQ(read("amqp://shop:secret@rabbit"),
            "it has a user or a password in it; they belong in username, and where password says.");
}

TEST(BrokerServer, IsNothingElse) {
  for (const std::string_view url : {"http://rabbit", "rabbit:5672", "amqp://", "amqp://a b", "amqp://rabbit/vhost",
                                     "amqp://rabbit:0", "amqp://rabbit:99999", "amqp://rabbit:", "amqp://[::1",
                                     "amqp://256.1.1.1", "amqp://0x7f.0x1", "amqp://127.1"}) {
    EXPECT_FALSE(parse_server(url, schemes)) << url;
  }
}

}  // namespace
}  // namespace makegood::broker
