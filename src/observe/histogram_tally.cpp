#include "observe/histogram_tally.hpp"

#include <algorithm>

namespace makegood::observe {

HistogramTally::HistogramTally(prometheus::Histogram& histogram, const std::vector<double>& boundaries)
    : histogram_(&histogram), boundaries_(&boundaries), counts_(boundaries.size() + 1) {}

void HistogramTally::add(double value) {
  const auto bucket = std::ranges::lower_bound(*boundaries_, value) - boundaries_->begin();
  counts_[static_cast<std::size_t>(bucket)] += 1;
  sum_ += value;
  is_empty_ = false;
}

void HistogramTally::flush() {
  if (is_empty_) return;
  histogram_->ObserveMultiple(counts_, sum_);
  std::ranges::fill(counts_, 0);
  sum_ = 0;
  is_empty_ = true;
}

}  // namespace makegood::observe
