#include "tests/crash/failpoints.hpp"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <mutex>

#include "makegood/spi/assert.hpp"
#include "tests/crash/statement_points.hpp"

namespace makegood::crash {
namespace {

// Guarded by mutex.
std::mutex mutex;
Blow armed;
std::map<std::string, unsigned, std::less<>> hits;

void strike(Way way) {
  switch (way) {
    case Way::exit:
      _exit(exit_at_failpoint);
    case Way::kill:
      raise(SIGKILL);
      return;
    case Way::freeze:
      raise(SIGSTOP);
      return;
  }
}

}  // namespace

bool is_failpoint(std::string_view point) {
  return std::ranges::find(failpoints, point, &Failpoint::name) != failpoints.end();
}

void arm(const Blow& blow) {
  const std::scoped_lock lock(mutex);
  armed = blow;
  watch_sqlite();
  watch_libpq();
}

void pass(std::string_view point, const std::function<void()>& last_deed) {
  MAKEGOOD_ASSERT(is_failpoint(point));
  const std::scoped_lock lock(mutex);
  auto hit = hits.find(point);
  if (hit == hits.end()) hit = hits.emplace(point, 0).first;
  const bool is_struck = ++hit->second == armed.hit && armed.point == point;
  if (!is_struck) return;
  if (last_deed) last_deed();
  strike(armed.way);
}

void note_hits(const Chronicle& chronicle) {
  const std::scoped_lock lock(mutex);
  for (const auto& [point, count] : hits) chronicle.note({"hit", point, std::to_string(count)});
}

}  // namespace makegood::crash
