#include "stores/postgres/open_rows.hpp"

namespace makegood::postgres {

NumberSet OpenRows::awake_of(const NumberSet& open) const {
  return without(without(open, late_.numbers()), numbers_.asleep());
}

NumberSet OpenRows::unknown_to(const LookFor& wanted, bool is_main_idle, const std::set<std::int64_t>& ended) {
  const bool is_main_blind = is_main_idle && !wanted.sides.empty();
  NumberSet unknown = is_main_blind ? awake_of(wanted.open) : NumberSet();
  return ended.empty() ? unknown : united(unknown, numbers_.wake(ended));
}

Result<> OpenRows::examine(Connection& connection, const NumberSet& numbers) {
  const NumberSet unknown = without(numbers, late_.numbers());
  return unknown.empty() ? Result<>() : late_.examine(connection, unknown);
}

NumberSet OpenRows::still_open(const LookFor& wanted, const LogReader& main, Sequence counter, MonotonicTime now) {
  NumberSet missing = wanted.open;
  if (main.looked_to > wanted.reached) missing.append({wanted.reached + 1, main.looked_to});
  missing = without(without(missing, main.visible), late_.numbers());
  if (late_.is_blind()) numbers_.saw_only_some();
  return numbers_.still_open(missing, counter, now);
}

void OpenRows::clear() {
  numbers_.clear();
  late_.clear();
}

}  // namespace makegood::postgres
