// A replay by filter: one request for each dead letter, at a rate, and the owner's answers counted.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "makegood/clock.hpp"
#include "makegood/spi/outbox_view.hpp"

namespace makegood::api {

struct ReplayWish {
  std::string store_url;
  std::string outbox;
  DeadFilter filter = {};
  std::string operator_name;
  std::string reason = {};
  double rate_per_second = 0;  ///< 0: as fast as it goes.
  std::optional<std::size_t> limit = {};
};
/// How many there are: dead ones only, and not more than the limit.
Result<std::size_t> count_for(OutboxView& view, const ReplayWish& wish);

struct ReplayProgress {
  std::size_t total = 0;
  std::size_t asked = 0;
  std::size_t done = 0;
  std::size_t refused = 0;
};

/// With connections of its own. What dies after it has begun is not part of it. Returns when everything has been asked
/// for and answered, when it is told to stop, or when answers have not come for `answer_wait`, if that is given.
Result<> replay_dead(const ReplayWish& wish, const std::stop_token& stop, std::optional<Duration> answer_wait,
                     const std::function<void(const ReplayProgress&)>& tell);

}  // namespace makegood::api
