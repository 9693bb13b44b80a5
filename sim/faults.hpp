// What can go wrong in a simulated world. Each seed switches on a random subset, so that rare pairs of faults meet
// without the others in their way.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "sim/chance.hpp"

namespace makegood::sim {

enum class Fault : std::uint8_t {
  crashes,         ///< An owner dies.
  stops,           ///< An owner gives its lane up and comes back.
  pauses,          ///< An owner freezes, and may wake up as a zombie.
  lost_commits,    ///< A turn is committed and nobody hears of it.
  store_errors,    ///< A call to the store fails and has no effect.
  forgets,         ///< The database loses its last commits while the owners live on.
  rollbacks,       ///< Producers roll back.
  late_commits,    ///< Producers leave transactions open for long.
  refusals,        ///< Destinations refuse single messages.
  lost_answers,    ///< A destination has it, and we hear nothing.
  double_answers,  ///< An answer comes twice.
  outages,         ///< Destinations go down, come back, flap, get slow.
  poison,          ///< Messages that kill whoever sends them.
  sour,            ///< Messages that no destination ever takes.
  delays,          ///< Messages for later.
  jumps,           ///< The database's clock jumps.
  floods,          ///< Many messages of one tenant, key or priority at once.
  requests,        ///< Operators replay, quarantine, release, unblock.
  standstills,     ///< Operators pause and resume destinations and tenants.
  histories,       ///< Operators have history delivered again.
  reroutes,        ///< Routes change while everything runs.
  waits,           ///< Destinations say when to come back.
  gones,           ///< Destinations say that they are gone.
  registers,       ///< Destinations and routes are in the store, and operators change them.
  cancels,         ///< Operators cancel messages.
  hangs,           ///< Some messages take seconds at their destinations; and time runs faster.
  tampering,       ///< Somebody empties the log or sets its counter back, so that numbers are drawn twice.
};
inline constexpr std::size_t fault_count = 27;

std::string_view to_string(Fault fault);
std::optional<Fault> fault_from(std::string_view name);

class Faults {
 public:
  /// But for `tampering`: after it, what was there before is promised nothing any more.
  static Faults all();
  /// Each with a chance of one half; but those from `registers` on, which are other worlds, are left out: so older
  /// seeds stay what they were.
  static Faults draw(Chance& chance);

  bool has(Fault fault) const { return is_on_[static_cast<std::size_t>(fault)]; }
  void set(Fault fault, bool is_on) { is_on_[static_cast<std::size_t>(fault)] = is_on; }
  /// `crashes,pauses`, or `none`.
  std::string names() const;

 private:
  std::array<bool, fault_count> is_on_ = {};
};

/// From a list of names, `all` or `none`; nothing if a name is unknown.
std::optional<Faults> faults_from(std::string_view names);

}  // namespace makegood::sim
