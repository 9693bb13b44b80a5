// Situations that a long run must have been in: one in which nothing of the kind happened shows nothing.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace makegood::sim {

enum class Site : std::uint8_t {
  fenced_turn,
  unknown_commit,
  take_over,
  zombie_send,
  database_forgot,
  late_row,
  late_row_handed_over,
  key_blocked,
  dead_letter,
  replayed,
  quarantined,
  unblocked,
  circuit_opened,
  circuit_closed,
  attempt_given_back,
  probe_failed,
  side_lane_paused,
  side_lane_broken,
  side_lane_crowded,
  side_lane_merged,
  side_lane_in_side_lane,
  history_replayed,
  suspect_alone,
  suspect_dead,
  suspect_cleared,
  routes_changed,
  old_routes_used,
  cleaned,
  given_up,
  double_answer,
  told_to_wait,
  destination_disabled,
  destination_hopeless,
  death_told,
  registry_changed,
  change_refused,
  destination_removed,
  removed_delivery_ended,
  cancelled,
  cancelled_unread,
  came_too_late,
  attempt_spared,
  clock_set,
  log_emptied,
  counter_set_back,
  lane_stopped,
  rewound,
};
inline constexpr std::size_t site_count = 47;
std::string_view to_string(Site site);

class Sites {
 public:
  void hit(Site site) { ++counts_[static_cast<std::size_t>(site)]; }
  std::uint64_t count(Site site) const { return counts_[static_cast<std::size_t>(site)]; }
  void add(const Sites& other);
  std::vector<Site> missed() const;

 private:
  std::array<std::uint64_t, site_count> counts_ = {};
};

}  // namespace makegood::sim
