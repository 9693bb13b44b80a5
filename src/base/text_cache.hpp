// A place for texts beside the database, as Redis is one: fast to read, and whatever is there may vanish.
#pragma once

#include <span>
#include <string>

#include "makegood/clock.hpp"
#include "makegood/result.hpp"

namespace makegood {

struct CachedText {
  std::string key;
  std::string text;
};

/// Used by one thread at a time.
class TextCache {
 public:
  virtual ~TextCache() = default;
  /// All of them, or an error, and then some of them may be there. A call takes a few seconds at most.
  virtual Result<> put(std::span<const CachedText> texts, Duration kept_for) = 0;
};

}  // namespace makegood
