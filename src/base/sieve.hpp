// A filter made ready for many rows: where a topic leads is found out once for all its neighbours.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/spi/routing.hpp"

namespace makegood {

class Sieve {
 public:
  /// The filter must outlive it.
  explicit Sieve(const Filter& filter) : filter_(filter) {}

  /// The same answer as makegood::wants gives.
  bool wants(std::string_view topic, std::string_view tenant_id, std::string_view dispatch_key, int priority);

 private:
  /// A destination that the topic leads to, and which of its deliveries other lanes carry.
  struct Way {
    std::string_view destination;
    std::string_view tenant_id;  ///< The only one whose messages go there; empty: everybody's do.
    std::vector<const Scope*> elsewhere;
  };
  void follow(std::string_view topic);
  void add_way(std::string_view destination);

  const Filter& filter_;
  std::optional<std::string> topic_;
  std::vector<Way> ways_;  ///< Of `topic_`; for a side lane the one to its own destination, if any.
};

}  // namespace makegood
