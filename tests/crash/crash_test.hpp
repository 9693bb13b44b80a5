// A place of a test's own, and the lives that are lived in it.
#pragma once

#include <gtest/gtest.h>

#include <csignal>

#include "tests/crash/audit.hpp"
#include "tests/crash/child.hpp"
#include "tests/crash/lives.hpp"
#include "tests/crash/stores.hpp"

namespace makegood::crash {

inline constexpr int at_rest = static_cast<int>(Ending::at_rest);

/// One series of lives.
class Series {
 public:
  explicit Series(Kind kind = Kind::sqlite, const Tale& tale = tale_of_messages) : tale_(tale), place_(kind) {}
  const Place& place() const { return place_.place(); }
  int run(const Fate& fate = {}) { return run_life(tale_, place(), {.number = ++count_}, fate); }
  /// Nothing happens to it any more, and everything must come to rest.
  int run_last(const Fate& fate = {}) { return run_life(tale_, place(), {.number = ++count_, .is_last = true}, fate); }
  Violations audit() const { return tale_.audit(place()); }
  std::vector<Line> lines() const { return read_chronicle(place().chronicle()); }
  bool has_struck() const { return count_lines(lines(), "struck") > 0; }

 private:
  const Tale& tale_;
  FreshPlace place_;
  int count_ = 0;
};

class CrashTest : public testing::Test {
 protected:
  testing::ScopedTrace trace_{__FILE__, __LINE__, "repeat it with MAKEGOOD_CRASH_SEED=" + std::to_string(seed())};
  std::mt19937 random_{seed()};
};

}  // namespace makegood::crash
