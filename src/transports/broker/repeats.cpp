#include "transports/broker/repeats.hpp"

#include <algorithm>

#include "transports/net/header_text.hpp"

namespace makegood::broker {
namespace {

constexpr std::string_view test_topic = "makegood.test";
/// Beyond it nobody has to remember; and it keeps sums from overflowing.
constexpr Duration repeats_max = std::chrono::hours(24 * 30);
constexpr double latest = 0.999;

}  // namespace

Duration repeats_for(const Destination& destination) {
  Duration total =
      destination.retry.unreachable_for == Duration::zero() ? Duration::zero() : destination.retry.unreachable_for;
  const std::uint32_t attempts = attempts_max(destination.retry);
  for (std::uint32_t attempt = 1; attempt < attempts && total < repeats_max; ++attempt) {
    total += backoff(destination.retry, attempt, latest) + destination.timeout;
  }
  return std::min(total, repeats_max);
}

std::string name_of(const Delivery& delivery) {
  std::string name;
  const auto add = [&name](std::string_view part) {
    if (!name.empty()) name += '/';
    net::append_path_segment(name, part);
  };
  add(delivery.outbox);
  add(delivery.message->tenant_id);
  add(delivery.destination->name);
  add(delivery.message->event_id);
  if (delivery.replay > 0) add(std::to_string(delivery.replay));
  return name;
}

Reply repeated(bool is_first, std::string_view code) {
  if (!is_first) return Reply::said(Outcome::ok());
  return Reply::said(Outcome::fail(std::string(code),
                                   "It was not stored: the broker has a message under its id, and nothing of this one "
                                   "was sent before. Somebody else "
                                   "has written it there, or a database before this one. If it is another one, replay "
                                   "it: a replay has its own id."));
}

bool is_test(const Delivery& delivery) { return delivery.message->topic == test_topic; }

}  // namespace makegood::broker
