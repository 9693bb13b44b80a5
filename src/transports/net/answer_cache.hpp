// What was found out about names, for a while.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/result.hpp"
#include "transports/net/address.hpp"

namespace makegood::net {

/// Shared, because whoever receives it may make the cache forget it.
using Addresses = std::shared_ptr<const Result<std::vector<Address>>>;

class AnswerCache {
 public:
  /// Bounded in names and in addresses. A full cache forgets everything: that costs one look-up each, and is rare.
  static constexpr std::size_t names_max = 4096;
  static constexpr std::size_t addresses_max = 65'536;

  void keep(const std::string& host, Addresses addresses, MonotonicTime until, MonotonicTime now);
  /// Null when nothing is known, or not any more.
  Addresses find(const std::string& host, MonotonicTime now) const;
  std::size_t size() const { return kept_.size(); }

 private:
  struct Kept {
    Addresses addresses;
    MonotonicTime until;
  };
  bool has_room(std::size_t addresses) const;
  void forget(const std::string& host);
  void forget_expired(MonotonicTime now);

  std::unordered_map<std::string, Kept> kept_;
  std::size_t address_count_ = 0;
};

}  // namespace makegood::net
