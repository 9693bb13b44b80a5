#include "base/tenure.hpp"

namespace makegood {
namespace {

constexpr Duration clock_lead_max = std::chrono::minutes(1);

bool is_free(const Tenure& last, const Claimant& claimant) {
  const bool is_given_up = last.until == last.at;
  return last.owner.empty() || is_given_up || last.owner == claimant.former;
}

}  // namespace

bool may_take(const Tenure& last, const Claimant& claimant, TimePoint now) {
  const bool is_over = last.until <= now;
  const bool is_too_far_ahead = last.until > now + claimant.lease;
  return is_free(last, claimant) || is_over || is_too_far_ahead;
}

bool is_after_death(const Tenure& last, const Claimant& claimant) { return !is_free(last, claimant); }

TimePoint store_time(TimePoint now, TimePoint last_at) {
  return last_at > now && last_at <= now + clock_lead_max ? last_at : now;
}

}  // namespace makegood
