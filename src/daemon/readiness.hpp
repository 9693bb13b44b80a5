// Whether the stores can be worked on, as the lanes see it.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/api.hpp"
#include "makegood/clock.hpp"
#include "makegood/observe.hpp"

namespace makegood::daemon {

/// Thread-safe; never waits.
class Readiness final : public Observer {
 public:
  explicit Readiness(const std::vector<std::string>& outboxes, const Clock& clock = system_clock());

  /// The store could not be opened; it is tried again.
  void away(std::string_view outbox, const Error& error);
  void opened(std::string_view outbox);
  /// Something besides the stores that must be done first, as a sentence; empty: it is done.
  void awaits(std::string what);
  /// Its lane is closed for a while, on purpose: nothing will be heard of it.
  void rests(std::string_view outbox);

  void alarm(std::string_view outbox, const Error& error) override;
  void figures(std::string_view outbox, const LaneFigures& figures) override;

  /// One sentence for each outbox that cannot be worked on.
  std::vector<std::string> reasons() const;
  /// What lanes have said of late, and say again as long as it lasts.
  std::vector<api::LiveAlarm> alarms() const;
  /// How long the quietest lane has said nothing. A lane that lives says something every second.
  Duration silence() const;

 private:
  struct Trouble {
    Error error;
    TimePoint since;
    MonotonicTime said_at;
    bool is_repeated = false;
  };
  struct Outbox {
    bool is_open = false;
    std::map<Errc, Trouble> troubles = {};
    std::optional<MonotonicTime> heard_at = {};
  };
  void note(std::string_view outbox, const Error& error);

  const Clock& clock_;
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::map<std::string, Outbox, std::less<>> outboxes_;
  std::string awaited_;
};

}  // namespace makegood::daemon
