// How an answer finds its way back to the connection that waits for it.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "api/call.hpp"

namespace makegood::server {

/// Somebody who waits for the answer to one call. Told once, by the thread that reads and writes.
class Caller {
 public:
  virtual ~Caller() = default;
  virtual void answer(api::Answer answer) = 0;
};

struct Reply {
  std::shared_ptr<Caller> to;
  api::Answer answer;
};

/// Takes replies over to the thread that reads and writes, all of them with one wake-up. Thread-safe.
using Deliver = std::function<void(std::vector<Reply>)>;

}  // namespace makegood::server
