// Whether the stores can be worked on, as the lanes see it.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/observe.hpp"

namespace makegood::cli {

/// Thread-safe; never waits.
class Readiness final : public Observer {
 public:
  explicit Readiness(const std::vector<std::string>& outboxes, const Clock& clock = system_clock());

  /// The store could not be opened; it is tried again.
  void away(std::string_view outbox, const Error& error);
  void opened(std::string_view outbox);
  /// Its lane is closed for a while, on purpose: nothing will be heard of it.
  void rests(std::string_view outbox);

  void alarm(std::string_view outbox, const Error& error) override;
  void figures(std::string_view outbox, const LaneFigures& figures) override;

  /// One sentence for each outbox that cannot be worked on.
  std::vector<std::string> reasons() const;
  /// How long the quietest lane has said nothing. A lane that lives says something every second.
  Duration silence() const;

 private:
  struct Outbox {
    bool is_open = false;
    std::optional<Error> trouble = {};
    MonotonicTime trouble_at = {};
    std::optional<MonotonicTime> heard_at = {};
  };
  const Clock& clock_;
  mutable std::mutex mutex_;
  std::map<std::string, Outbox, std::less<>> outboxes_;  // Guarded by mutex_.
};

}  // namespace makegood::cli
