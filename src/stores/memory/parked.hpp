// The table of parked deliveries and its two indexes, which change together.
#pragma once

#include "makegood/spi/outbox_view.hpp"
#include "stores/memory/state.hpp"

namespace makegood::memory {

/// Writes the row, or changes the one that is there, and adds a line to its story.
void park(State& state, const Turn::Change& change, const Owner& owner, TimePoint now);
/// The clock was set back by so much, from `was`: what waits for a retry, or was due already, is due so much earlier.
void set_back_due(State& state, Duration by, TimePoint was);
void forget_parked(State& state, const ParkedKey& key);
/// What lies beyond `reached` begins anew, except what an operator has put away.
void read_anew(State& state, Sequence reached);
/// Nothing blocks its key for a message that is gone, and what still waited for it is dead.
void end_gone(State& state, TimePoint now);
/// Dead or quarantined.
bool is_dead_letter(const Parked& row);
bool is_of(const Parked& row, std::string_view tenant_id);
DeadLetter dead_letter(const State& state, const ParkedRow& row);
/// The earliest waiting delivery of each destination.
std::vector<NextDue> next_due(const State& state);
/// What waits for a retry or is held, of each destination.
std::vector<ParkedCount> parked_counts(const State& state);

}  // namespace makegood::memory
