// What a reply means for an attempt of a saga. "Certainly not done" needs proof: the request never left, or the
// participant said so with a code of its own. Everything else is unknown.
#pragma once

#include <cstddef>

#include "core/saga/steering.hpp"
#include "makegood/delivery.hpp"

namespace makegood::core {

/// So much of an answer's body is an output.
inline constexpr std::size_t output_bytes_max = std::size_t{64} << 10;

/// What a participant says may be anything. A text that the store refuses would stop the turn that records it, and with
/// it every other execution.
void make_storable(SagaAnswer& answer);

/// `was_ever_ok`: an attempt of the action was answered ok. Step, direction, round and attempt are left as they are.
void judge_by_saga(const Reply& reply, const SagaStep& step, bool was_ever_ok, SagaAnswer& answer);

}  // namespace makegood::core
