// Reports of one round of the loop, posted together.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "makegood/spi/transport.hpp"

namespace makegood::net {

class Outgoing {
 public:
  void add(Completions& done, Report report) {
    auto batch = std::ranges::find(batches_, &done, &Batch::done);
    if (batch == batches_.end()) batch = batches_.insert(batches_.end(), {.done = &done});
    batch->reports.push_back(std::move(report));
  }
  void post() {
    for (Batch& batch : std::exchange(batches_, {})) batch.done->post(std::move(batch.reports));
  }

 private:
  struct Batch {
    Completions* done = nullptr;
    std::vector<Report> reports = {};
  };
  std::vector<Batch> batches_;  ///< One per lane, so a few.
};

}  // namespace makegood::net
