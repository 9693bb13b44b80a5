// A replay by filter: one request for each dead letter, at a rate, and the owner's answers counted.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "api/bulk.hpp"
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

/// With connections of its own. What dies after it has begun is not part of it; see `carry_out`.
Result<> replay_dead(const ReplayWish& wish, const BulkControl& control, std::optional<Duration> answer_wait,
                     const TellProgress& tell);

}  // namespace makegood::api
