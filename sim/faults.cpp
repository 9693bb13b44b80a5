#include "sim/faults.hpp"

#include <algorithm>
#include <span>

namespace makegood::sim {
namespace {

constexpr std::array<std::string_view, fault_count> fault_names = {
    "crashes",      "stops",    "pauses",       "lost_commits",   "store_errors", "forgets",   "rollbacks",
    "late_commits", "refusals", "lost_answers", "double_answers", "outages",      "poison",    "sour",
    "delays",       "jumps",    "floods",       "requests",       "standstills",  "histories", "reroutes",
    "waits",        "gones",    "registers",    "cancels",        "hangs",        "tampering"};

}  // namespace

std::string_view to_string(Fault fault) { return fault_names.at(static_cast<std::size_t>(fault)); }

std::optional<Fault> fault_from(std::string_view name) {
  const auto* const found = std::ranges::find(fault_names, name);
  if (found == fault_names.end()) return std::nullopt;
  return static_cast<Fault>(found - fault_names.begin());
}

Faults Faults::all() {
  Faults faults;
  faults.is_on_.fill(true);
  faults.set(Fault::tampering, false);
  return faults;
}

Faults Faults::draw(Chance& chance) {
  Faults faults;
  for (bool& is_on : std::span(faults.is_on_).first(static_cast<std::size_t>(Fault::registers)))
    is_on = chance.one_in(2);
  return faults;
}

std::string Faults::names() const {
  std::string names;
  for (std::size_t index = 0; index < fault_count; ++index) {
    if (is_on_[index]) names.append(names.empty() ? "" : ",").append(fault_names[index]);
  }
  return names.empty() ? "none" : names;
}

std::optional<Faults> faults_from(std::string_view names) {
  if (names == "all") return Faults::all();
  Faults faults;
  while (!names.empty() && names != "none") {
    const auto name = names.substr(0, names.find(','));
    const auto fault = fault_from(name);
    if (!fault) return std::nullopt;
    faults.set(*fault, true);
    names.remove_prefix(std::min(names.size(), name.size() + 1));
  }
  return faults;
}

}  // namespace makegood::sim
