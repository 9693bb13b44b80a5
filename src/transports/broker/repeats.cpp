#include "transports/broker/repeats.hpp"

#include <algorithm>

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

bool is_test(const Delivery& delivery) { return delivery.message->topic == test_topic; }

}  // namespace makegood::broker
