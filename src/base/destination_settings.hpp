// The settings of destinations, whatever their transport.
#pragma once

#include <array>

#include "base/described.hpp"
#include "makegood/destination.hpp"

namespace makegood {

inline constexpr auto ordering_words = std::to_array<std::string_view>({"block", "skip", "block_on_dead"});
inline constexpr double year_ms = 31'536'000'000;

template <SettingsOf<RetryPolicy> Retry>
void describe(Retry& retry, auto& visit) {
  visit("attempts_max", retry.attempts_max,
        About{"Attempts that are answered; an endpoint that cannot be reached costs none.", {1, 1e6}});
  visit("base", retry.base, About{"The first delay, and the shortest.", {1, year_ms}});
  visit("factor", retry.factor, About{"By how much each delay is longer than the one before.", {1, 1000}});
  visit("jitter", retry.jitter, About{"By which part a delay is spread, up and down.", {0, 1}});
  visit("cap", retry.cap, About{"The longest delay.", {1, year_ms}});
  visit("schedule", retry.schedule,
        About{"The delay after each failure, instead of the others; one attempt more than there are delays.",
              {0, year_ms},
              1000});
  visit("retry_after_max", retry.retry_after_max, About{"The longest pause that an answer may ask for.", {0, year_ms}});
  visit("unreachable_for", retry.unreachable_for,
        About{"A destination that has answered nothing for so long is disabled; 0 = never, and every failure counts as "
              "an attempt.",
              {0, year_ms}});
}

template <SettingsOf<CircuitPolicy> Circuit>
void describe(Circuit& circuit, auto& visit) {
  visit("failures_max", circuit.failures_max, About{"In a row; 0 = never open.", {0, 1e6}});
  visit("wait_min", circuit.wait_min, About{"Before the first probe; doubled with each one that fails.", {1, year_ms}});
  visit("wait_max", circuit.wait_max, About{"The longest time between two probes.", {1, year_ms}});
}

/// Without its name and tenant, which say what it is, and without what belongs to its transport.
template <SettingsOf<Destination> Settings>
void describe(Settings& destination, auto& visit) {
  visit("in_flight_max", destination.in_flight_max, About{"Sends under way at one time.", {1, 1e6}});
  visit("rate_max", destination.rate_max, About{"Sends per second; 0 = no limit.", {0, 1e9}});
  visit("timeout", destination.timeout, About{"Of one attempt.", {1, 3'600'000}});
  visit.group("retry", destination.retry);
  visit.choice("ordering", destination.ordering, ordering_words,
               About{"What a failed message means for those behind it."});
  visit.group("circuit", destination.circuit);
}

}  // namespace makegood
