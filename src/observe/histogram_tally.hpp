// Values for a histogram, collected without a lock and handed over together.
#pragma once

#include <prometheus/histogram.h>

#include <vector>

namespace makegood::observe {

class HistogramTally {
 public:
  /// `boundaries` must be those of the histogram, and outlive this.
  HistogramTally(prometheus::Histogram& histogram, const std::vector<double>& boundaries);
  void add(double value);
  void flush();

 private:
  prometheus::Histogram* histogram_;
  const std::vector<double>* boundaries_;
  std::vector<double> counts_;
  double sum_ = 0;
  bool is_empty_ = true;
};

}  // namespace makegood::observe
