// Dead letters that have topic, destination and error code in common.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "makegood/spi/outbox_view.hpp"

namespace makegood {

class DeadGroups {
 public:
  struct Kind {
    std::string topic;
    std::string destination;
    std::string error_code;
    auto operator<=>(const Kind&) const = default;
  };

  void add(const Kind& kind, Sequence sequence, TimePoint changed_at);
  /// By count; those of one size by what they have in common. Without the error of the example.
  std::vector<DeadGroup> largest(std::size_t rows_max) const;

 private:
  std::map<Kind, DeadGroup> groups_;
};

}  // namespace makegood
