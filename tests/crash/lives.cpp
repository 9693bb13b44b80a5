#include "tests/crash/lives.hpp"

#include <cstdlib>
#include <string>

#include "tests/crash/child.hpp"

namespace makegood::crash {
namespace {

constexpr int life_seconds_max = 60;

int live_under(const Tale& tale, const Place& place, const Life& life, const Fate& fate) {
  const Chronicle chronicle(place.chronicle());
  FaultyVfs vfs(fate.faults, [&](Call call) { chronicle.note({"struck", to_string(call)}); });
  arm(fate.blow);
  const Ending ending = tale.live(place, life);
  // A disk that has failed for good keeps nothing that was not synced.
  if (fate.faults.kind == Faults::Kind::fail_for_good && vfs.has_struck()) vfs.cut_power();
  vfs.write_back();
  return static_cast<int>(ending);
}

}  // namespace

int run_life(const Tale& tale, const Place& place, const Life& life, const Fate& fate) {
  return Child([&] { return live_under(tale, place, life, fate); }).wait(life_seconds_max);
}

unsigned seed() {
  static const unsigned drawn = [] {
    const char* given = std::getenv("MAKEGOOD_CRASH_SEED");
    return given != nullptr ? static_cast<unsigned>(std::stoul(given)) : std::random_device{}() % 1'000'000;
  }();
  return drawn;
}

bool is_long_form() { return std::getenv("MAKEGOOD_CRASH_LONG") != nullptr; }

}  // namespace makegood::crash
