#include "stores/postgres/open_numbers.hpp"

#include <algorithm>
#include <limits>

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

std::vector<NumberRange> ranges_of(std::span<const Sequence> numbers) {
  std::vector<NumberRange> ranges;
  for (const Sequence number : numbers) {
    if (!ranges.empty() && ranges.back().high + 1 >= number) {
      ranges.back().high = number;
    } else {
      ranges.push_back({number, number});
    }
  }
  return ranges;
}

std::vector<NumberRange> without(std::span<const NumberRange> ranges, std::span<const Sequence> numbers) {
  std::vector<NumberRange> rest;
  auto number = numbers.begin();
  for (NumberRange range : ranges) {
    number = std::lower_bound(number, numbers.end(), range.low);
    for (; number != numbers.end() && *number <= range.high; ++number) {
      if (*number > range.low) rest.push_back({range.low, *number - 1});
      range.low = *number + 1;
    }
    if (range.low <= range.high) rest.push_back(range);
  }
  return rest;
}

bool OpenNumbers::wants_holders(Time now) const {
  if (now - holders_read_at_ < holders_interval) return false;
  return std::ranges::any_of(watched_, [&](const Watched& watched) { return now - watched.since >= missing_long; });
}

void OpenNumbers::saw_holders(Holders holders, Time now) {
  holders_ = std::move(holders);
  holders_read_at_ = now;
  std::erase_if(still_, [&](const auto& entry) {
    const auto holder = holders_.find(entry.first);
    return holder == holders_.end() || holder->second != entry.second.sign;
  });
  const auto witnesses = std::make_shared<const Holders>(holders_);
  for (Watched& watched : watched_) {
    if (now - watched.since < missing_long) continue;
    if (watched.witnesses == nullptr) watched.witnesses = witnesses;
    watched.is_over =
        std::ranges::none_of(holders_, [&](const auto& holder) { return may_have_drawn(holder.first, watched); });
  }
  for (const auto& [holder, sign] : holders_) {
    // The counter is told by the look that follows; until then every number may be its.
    if (!sign.empty()) still_.try_emplace(holder, sign, std::numeric_limits<Sequence>::max());
  }
}

bool OpenNumbers::may_have_drawn(const std::string& holder, const Watched& watched) const {
  const auto still = still_.find(holder);
  if (still != still_.end() && watched.range.low > still->second.counter) return false;
  return has_no_name(holder) || watched.witnesses->contains(holder);
}

std::vector<NumberRange> OpenNumbers::still_open(std::span<const NumberRange> missing, Sequence counter, Time now) {
  for (auto& [holder, still] : still_) still.counter = std::min(still.counter, counter);
  std::vector<Watched> watched;
  std::vector<NumberRange> open;
  auto known = watched_.begin();
  const auto keep = [&](const Watched& part) {
    watched.push_back(part);
    open.push_back(part.range);
  };
  for (NumberRange range : missing) {
    while (known != watched_.end() && known->range.high < range.low) ++known;
    // What was missed before, piece by piece, and what is new between the pieces.
    for (; known != watched_.end() && known->range.low <= range.high; ++known) {
      if (range.low < known->range.low) keep({.range = {range.low, known->range.low - 1}, .since = now});
      Watched part = *known;
      part.range = {std::max(range.low, known->range.low), std::min(range.high, known->range.high)};
      if (!part.is_over) keep(part);
      range.low = part.range.high + 1;
      if (known->range.high > range.high) break;  // The rest of it may be in the next range.
    }
    if (range.low <= range.high) keep({.range = range, .since = now});
  }
  watched_ = std::move(watched);
  return open;
}

/// After a restart the server names transactions anew: what was known of one name may be another now.
void OpenNumbers::clear() {
  watched_.clear();
  holders_.clear();
  still_.clear();
}

}  // namespace makegood::postgres
