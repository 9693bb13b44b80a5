// What fake participants and endpoints answer, and what they were asked.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "dev/request.hpp"
#include "makegood/result.hpp"

namespace makegood::dev {

/// One programmed answer.
struct Programmed {
  Answer answer = {};
  std::uint32_t times = 1;    ///< 0: for ever.
  bool has_effect = true;     ///< What the fake did, whatever it says: `GET /dev/calls` tells.
  std::string callback = {};  ///< The body of a callback that follows; empty: none.
  std::chrono::milliseconds callback_after = {};
};

/// `{"path": "/payments/charge", "answers": [{"status": 500, "times": 2}, {"hang": true}]}`
struct Program {
  std::string path;
  std::vector<Programmed> answers = {};
};
Result<Program> read_program(std::string_view json);

/// A call that was captured.
struct Captured {
  Request request;
  int status = 0;  ///< 0: it was not answered.
  bool has_effect = false;
};

/// Thread-safe.
class Answers {
 public:
  /// In the place of what was programmed for this path.
  void program(Program program);
  /// Without a program everything is answered with 200 and `{}`.
  Programmed take(const Request& request);
  /// Of this path and what is below it; empty: all.
  std::vector<Captured> calls(std::string_view path) const;
  void forget_calls();
  void reset();

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::deque<Programmed>> programs_;  ///< Guarded by mutex_.
  std::vector<Captured> calls_;                             ///< Guarded by mutex_.
};

}  // namespace makegood::dev
