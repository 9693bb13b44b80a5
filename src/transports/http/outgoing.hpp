// Completions of one round of the loop, posted together.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "makegood/transport.hpp"

namespace makegood::http {

class Outgoing {
 public:
  void add(Completions& done, Completion completion) {
    auto batch = std::ranges::find(batches_, &done, &Batch::done);
    if (batch == batches_.end()) batch = batches_.insert(batches_.end(), {.done = &done});
    batch->completions.push_back(std::move(completion));
  }
  void post() {
    for (Batch& batch : std::exchange(batches_, {})) batch.done->post(std::move(batch.completions));
  }

 private:
  struct Batch {
    Completions* done = nullptr;
    std::vector<Completion> completions = {};
  };
  std::vector<Batch> batches_;  ///< One per lane, so a few.
};

}  // namespace makegood::http
