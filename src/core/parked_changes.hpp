// What the turn that is being decided says about parked deliveries, each with a note; and what is known of the parked
// ones of each destination without reading them: how many there are, and when the next is due.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/destinations.hpp"
#include "core/ownership.hpp"
#include "core/window.hpp"
#include "makegood/spi/store.hpp"

namespace makegood::core {

/// Whether a parked row is among those that the bound per destination speaks of.
bool counts(const Parked& row);
/// Of a message that has no row yet.
Parked new_row(const Message& message, std::string_view destination);

class ParkedChanges {
 public:
  ParkedChanges(Destinations& destinations, const Ownership& ownership)
      : destinations_(destinations), ownership_(ownership) {}

  /// What the store knows of all destinations, registered or not: when one is registered, nothing is to be read anew.
  void begin(const Taken& taken);
  /// What the store knows of those that a look has asked for; what the turn changes comes on top.
  void expect_due(const std::vector<DestinationIndex>& asked, const std::vector<NextDue>& next_due);
  /// The store's clock was set back, and all that is due with it.
  void set_back(Duration by);

  /// `was_counted`: its row was among the waiting and held ones before.
  void park(Parked row, std::optional<AttemptNote> note, bool was_counted);
  Parked row_of(const Carried& carried) const;
  AttemptNote note(const Parked& row, std::string_view outcome, TimePoint at) const;
  AttemptNote note_of_failure(const Parked& row, std::string_view outcome, TimePoint at) const;

  std::size_t count() const { return changes_.size(); }
  /// Whether the turn already says something new about that row, or about any of that message: whatever the look saw of
  /// it is old.
  bool has(Sequence sequence, std::string_view destination) const;
  bool has(Sequence sequence) const;
  /// What the turn says about that row so far; null if nothing.
  const Parked* last_of(Sequence sequence, std::string_view destination) const;
  std::vector<Turn::Change> take() { return std::exchange(changes_, {}); }

 private:
  DestinationState& state_of(std::string_view destination) { return destinations_[destinations_.at(destination)]; }

  Destinations& destinations_;
  const Ownership& ownership_;
  std::vector<Turn::Change> changes_;
};

}  // namespace makegood::core
