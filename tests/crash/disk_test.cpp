// A disk that fails, and one that loses what was not synced: at the first call, at the second, at the third … until a
// whole life saw no fault.
#include "tests/crash/crash_test.hpp"

namespace makegood::crash {
namespace {

class Disk : public CrashTest {
 protected:
  using Kind = Faults::Kind;

  /// A life with these faults, and another on a sound disk. False: there were none.
  static bool make_good_after(const Faults& faults) {
    Series series;
    series.run({.faults = faults});
    const bool has_struck = series.has_struck();
    EXPECT_EQ(check_crashed(series.place()), Violations());
    EXPECT_EQ(series.run_last(), at_rest);
    EXPECT_EQ(audit(series.place()), Violations());
    return has_struck;
  }

  /// Runs `series_with` for each call until there is no such call. In the short form a choice of them.
  template <class SeriesWith>
  void for_each_call(unsigned stride, const SeriesWith& series_with) {
    const unsigned step = is_long_form() ? 1 : stride;
    unsigned count = 0;
    for (unsigned call = 1 + static_cast<unsigned>(random_()) % step;; call += step, ++count) {
      SCOPED_TRACE("call " + std::to_string(call));
      if (!series_with(call) || HasFatalFailure()) {
        RecordProperty("calls_max", static_cast<int>(call));
        break;
      }
    }
    RecordProperty("faults", static_cast<int>(count));
    EXPECT_GT(count, 0U) << "a loop in which nothing happened shows nothing";
  }
};

TEST_F(Disk, ThatFailsOnceIsOvercomeWithoutARestart) {
  for_each_call(60, [&](unsigned call) {
    Series series;
    const int ending = series.run_last({.faults = {.kind = Kind::fail_once, .at_call = call}});
    EXPECT_EQ(ending, at_rest);
    EXPECT_EQ(audit(series.place()), Violations());
    return series.has_struck();
  });
}

TEST_F(Disk, ThatFailsForGoodLosesNothingThatWasPromised) {
  for_each_call(60, [&](unsigned call) {
    return make_good_after({.kind = Kind::fail_for_good, .at_call = call, .seed = seed() + call});
  });
}

/// The commit is in the file and SQLite says that it failed: whoever took that for certain would be wrong after a
/// restart.
TEST_F(Disk, ThatCannotSyncAnyMoreLeavesCommitsInDoubt) {
  for_each_call(2, [&](unsigned call) {
    return make_good_after({.kind = Kind::fail_for_good, .at_call = call, .seed = seed() + call, .only = Call::sync});
  });
}

TEST_F(Disk, ThatLosesPowerLosesNothingThatWasPromised) {
  for_each_call(20, [&](unsigned call) {
    return make_good_after({.kind = Kind::power_loss, .at_call = call, .seed = seed() + call});
  });
}

}  // namespace
}  // namespace makegood::crash
