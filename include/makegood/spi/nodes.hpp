// The processes that share the outboxes of one store: who is there, and how many lanes each of them owns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/result.hpp"

namespace makegood {

struct NodeLoad {
  std::string node;  ///< A name that no other process has.
  std::size_t lanes = 0;
  bool operator==(const NodeLoad&) const = default;
};

/// Only for an even share: which of them owns a lane is never decided by this.
class Nodes {
 public:
  virtual ~Nodes() = default;
  /// Says that `node` is there and owns so many lanes; answers all that are, itself included. Whoever has said nothing
  /// for 15 s is forgotten.
  virtual Result<std::vector<NodeLoad>> beat(std::string_view node, std::size_t lanes) = 0;
  virtual Result<> leave(std::string_view node) = 0;
};

}  // namespace makegood
