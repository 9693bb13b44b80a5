// The chain of turns: who may take the lane, and who may write.
#pragma once

#include "base/tenure.hpp"
#include "stores/memory/state.hpp"

namespace makegood::memory {

std::optional<Taken> take(State& state, const Claimant& claimant, TimePoint now);
/// Right after the remembered turn or not at all: Errc::fenced leaves the state as it was.
Result<Committed> commit(State& state, const Turn& turn, TimePoint now);
/// Errc::fenced unless the turn follows the last one.
Result<> check_follows(const State& state, const Turn& turn);

}  // namespace makegood::memory
