#include "stores/postgres/open_numbers.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace makegood::postgres {
namespace {

using namespace std::chrono_literals;

/// Nearly all transactions have ended by then, and nobody has to be asked about them.
constexpr auto missing_long = 200ms;
/// Reading the locks stops everybody who takes one, for a moment.
constexpr auto holders_interval = 50ms;

/// Prepared before the server was restarted: it may have been a witness under another name.
bool has_no_name(const std::string& holder) { return holder.starts_with("-1/"); }

}  // namespace

bool OpenNumbers::wants_holders(Time now) const {
  if (now - holders_read_at_ < holders_interval) return false;
  return std::ranges::any_of(watched_, [&](const Watched& watched) {
    return watched.sleeps_until == nullptr && now - watched.since >= missing_long;
  });
}

void OpenNumbers::saw_holders(Holders holders, Time now) {
  holders_ = std::move(holders);
  holders_read_at_ = now;
  are_holders_new_ = true;
  std::erase_if(still_, [&](const auto& entry) {
    const auto holder = holders_.find(entry.first);
    return holder == holders_.end() || holder->second.sign != entry.second.sign;
  });
  const auto witnesses = std::make_shared<const Holders>(holders_);
  for (Watched& watched : watched_) {
    if (now - watched.since < missing_long) continue;
    if (watched.witnesses == nullptr) watched.witnesses = witnesses;
    watched.is_over =
        std::ranges::none_of(holders_, [&](const auto& holder) { return may_have_drawn(holder.first, watched); });
  }
  for (const auto& [name, holder] : holders_) {
    // The counter is told by the look that follows; until then every number may be its.
    if (!holder.sign.empty()) still_.try_emplace(name, holder.sign, std::numeric_limits<Sequence>::max());
  }
}

bool OpenNumbers::may_have_drawn(const std::string& holder, const Watched& watched) const {
  const auto still = still_.find(holder);
  if (still != still_.end() && watched.range.low > still->second.counter) return false;
  return has_no_name(holder) || watched.witnesses->contains(holder);
}

std::vector<std::int64_t> OpenNumbers::waited_for() const {
  Transactions all;
  const Transactions* last = nullptr;  // Neighbours mostly share theirs.
  for (const Watched& watched : watched_) {
    const Transactions* one = watched.sleeps_until.get();
    if (one != nullptr && one != last) all.insert(one->begin(), one->end());
    last = one;
  }
  return {all.begin(), all.end()};
}

NumberSet OpenNumbers::wake(const std::set<std::int64_t>& ended) {
  NumberSet woken;
  NumberSet asleep;
  for (Watched& watched : watched_) {
    if (watched.sleeps_until == nullptr) continue;
    const bool is_woken =
        std::ranges::any_of(*watched.sleeps_until, [&](std::int64_t one) { return ended.contains(one); });
    if (is_woken) watched.sleeps_until = nullptr;
    (is_woken ? woken : asleep).append(watched.range);
  }
  asleep_ = std::move(asleep);
  return woken;
}

NumberSet OpenNumbers::still_open(const NumberSet& missing, Sequence counter, Time now) {
  for (auto& [holder, still] : still_) still.counter = std::min(still.counter, counter);
  std::vector<Watched> watched;
  NumberSet open;
  auto known = watched_.begin();
  const auto keep = [&](const Watched& part) {
    watched.push_back(part);
    open.append(part.range);
  };
  for (NumberRange range : missing.ranges()) {
    while (known != watched_.end() && known->range.high < range.low) ++known;
    // What was missed before, piece by piece, and what is new between the pieces.
    for (; known != watched_.end() && known->range.low <= range.high; ++known) {
      if (range.low < known->range.low) keep({.range = {range.low, known->range.low - 1}, .since = now});
      Watched part = *known;
      part.range = {std::max(range.low, known->range.low), std::min(range.high, known->range.high)};
      if (!part.is_over || part.sleeps_until != nullptr) keep(part);
      range.low = part.range.high + 1;
      if (known->range.high > range.high) break;  // The rest of it may be in the next range.
    }
    if (range.low <= range.high) keep({.range = range, .since = now});
  }
  watched_ = std::move(watched);
  fall_asleep();
  return open;
}

/// All that is awake has just been looked for, after the holders were read.
void OpenNumbers::fall_asleep() {
  const bool may_sleep = std::exchange(are_holders_new_, false);
  std::map<const Holders*, std::shared_ptr<const Transactions>> living_of;
  asleep_ = {};
  for (Watched& watched : watched_) {
    if (may_sleep && watched.sleeps_until == nullptr && watched.witnesses != nullptr) {
      auto [known, is_new] = living_of.try_emplace(watched.witnesses.get());
      if (is_new) known->second = living(*watched.witnesses);
      watched.sleeps_until = known->second;
    }
    if (watched.sleeps_until != nullptr) asleep_.append(watched.range);
  }
}

/// The transactions of those who still hold the lock. Null when one of them cannot be waited for.
std::shared_ptr<const OpenNumbers::Transactions> OpenNumbers::living(const Holders& witnesses) const {
  Transactions living;
  for (const auto& [name, holder] : holders_) {
    if (!has_no_name(name) && !witnesses.contains(name)) continue;
    if (holder.transaction == 0) return nullptr;
    living.insert(holder.transaction);
  }
  return living.empty() ? nullptr : std::make_shared<const Transactions>(std::move(living));
}

void OpenNumbers::saw_only_some() {
  are_holders_new_ = false;
  for (Watched& watched : watched_) watched.is_over = false;
}

/// After a restart the server names transactions anew: what was known of one name may be another now.
void OpenNumbers::clear() {
  watched_.clear();
  asleep_ = {};
  are_holders_new_ = false;
  holders_.clear();
  still_.clear();
}

}  // namespace makegood::postgres
