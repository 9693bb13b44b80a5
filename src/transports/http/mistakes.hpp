// What is wrong with a destination, all of it at once, so that a person mends it in one go.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "makegood/result.hpp"

namespace makegood::http {

class Mistakes {
 public:
  /// `setting` is its name as in the JSON, `problem` reads on from it: "is empty; allowed: …". Never a secret.
  void add(std::string_view setting, std::string_view problem) {
    sentences_.push_back(fmt::format("{} {}", setting, problem));
  }
  bool empty() const { return sentences_.empty(); }

  /// `what` has them, such as "The destination http:billing".
  Error as_error(std::string_view what) const {
    return {Errc::config_invalid, fmt::format("{} has {} mistake{}: {}.", what, sentences_.size(),
                                              sentences_.size() == 1 ? "" : "s", fmt::join(sentences_, "; "))};
  }

 private:
  std::vector<std::string> sentences_;
};

}  // namespace makegood::http
