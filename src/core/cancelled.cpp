#include "core/cancelled.hpp"

#include "core/mutant.hpp"
#include "makegood/spi/store.hpp"

namespace makegood::core {
namespace {

constexpr std::size_t cancelled_ranges_max = 1000;

}  // namespace

bool Cancelled::is_full() const {
  std::size_t count = 0;
  for (const auto& [destination, numbers] : marks_) count += numbers.ranges().size();
  return count >= cancelled_ranges_max;
}

void Cancelled::mark(Sequence number, std::string_view destination) {
  NumberSet& numbers = marks_[std::string(destination)];
  numbers = united(numbers, NumberSet{number});
}

bool Cancelled::has(Sequence number, std::string_view destination) const {
  const auto numbers = marks_.find(destination);
  return numbers != marks_.end() && numbers->second.contains(number);
}

bool Cancelled::is_marked(Sequence number, std::string_view destination) const {
  return has(number, unrouted) || (destination != unrouted && has(number, destination));
}

bool Cancelled::leaves_out(Sequence number, std::string_view destination) const {
  return !marks_.empty() && is_marked(number, destination) && !is_mutant("cancelled_is_read");
}

void Cancelled::forget_settled(const Position& position) {
  if (marks_.empty()) return;
  const Sequence past = settled(position);
  for (auto& [destination, numbers] : marks_) numbers = without(numbers, up_to(numbers, past));
  std::erase_if(marks_, [](const auto& marks) { return marks.second.empty(); });
}

}  // namespace makegood::core
