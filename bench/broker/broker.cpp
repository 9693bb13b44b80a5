#include "bench/broker/broker.hpp"

#include <fmt/format.h>

#include "bench/asked.hpp"
#include "bench/scratch.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::bench {

Headers headers_like_ours(std::string_view event_prefix) {
  Headers headers = {{"content-type", "application/json"}};
  const auto add = [&](std::string_view name, std::string_view value) {
    headers.emplace_back(fmt::format("{}{}", event_prefix, name), value);
  };
  if (!event_prefix.empty()) {
    add("specversion", "1.0");
    add("id", event_id_like_ours(0));
    add("source", "/makegood/makegood_outbox/t0");
    add("type", "bench.evt");
    add("time", "2026-11-18T20:00:00.000000Z");
    add("tenant", "t0");
    add("sequence", "00000000000000000001");
  }
  const Headers of_delivery = {{"event_id", event_id_like_ours(0)},
                               {"tenant_id", "t0"},
                               {"topic", "bench.evt"},
                               {"sequence", "100000"},
                               {"outbox", "makegood_outbox"},
                               {"incarnation", "0190a1b2-0000-7000-8000-000000000001"},
                               {"attempt", "1"},
                               {"source", "bench"},
                               {"version", "1"}};
  headers.insert(headers.end(), of_delivery.begin(), of_delivery.end());
  return headers;
}

const std::string& content_like_ours() {
  static const std::string content = a_message().payload;
  return content;
}

std::string event_id_like_ours(std::size_t number) { return fmt::format("0190a1b2-0000-7000-8000-{:012}", number); }

std::string address_in(const std::string& url) { return url.substr(url.find("://") + 3); }

int port_in(const std::string& url) { return std::stoi(url.substr(url.rfind(':') + 1)); }

std::unique_ptr<Broker> open_broker() {
  const std::string& url = asked().broker;
  if (url.starts_with("kafka://")) return open_kafka(url);
  if (url.starts_with("nats://")) return open_nats(url);
  if (url.starts_with("amqp://")) return open_amqp(url);
  MAKEGOOD_ASSERT(url.starts_with("redis://"));
  return open_redis(url);
}

}  // namespace makegood::bench
