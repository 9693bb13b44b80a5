// Lives that are cut short at the points of a tale, one after the other.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/crash/crash_test.hpp"

namespace makegood::crash {

/// The points that this tale comes by on such a store.
std::vector<std::string_view> points_on(Kind kind, const Tale& tale);
/// How often a life that is not cut short passes each point.
const std::map<std::string, unsigned>& hits(Kind kind, const Tale& tale);

class DyingTest : public CrashTest {
 protected:
  explicit DyingTest(const Tale& tale) : tale_(tale) {}

  /// At any of the times that the point is passed.
  Blow blow_at(Kind kind, std::string_view point, Way way = Way::kill);
  /// One life after the other is cut short, on what those before it have left; the last one comes to rest.
  void die(Kind kind, const std::vector<Blow>& blows);
  /// The first call of the server, the second, the third … (in the short form a choice of them), until a whole life was
  /// not cut short.
  void die_at_each_call(unsigned step);

 private:
  const Tale& tale_;
};

}  // namespace makegood::crash
