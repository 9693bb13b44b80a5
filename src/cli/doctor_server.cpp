#include "cli/doctor_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "cli/age.hpp"
#include "config/quantity.hpp"

namespace makegood::cli {
namespace {

using enum Diagnosis::State;

constexpr Duration clock_difference_max = std::chrono::seconds(2);
constexpr Duration prepared_age_max = std::chrono::minutes(10);

Diagnosis diagnose_version(const postgres::Examination& found) {
  if (found.version >= postgres::oldest_version) return {good, "PostgreSQL", found.version_text + "."};
  return {wrong, "PostgreSQL", fmt::format("{} is too old: a late commit could be passed by.", found.version_text),
          "Update to 14.1 or later."};
}

Diagnosis diagnose_writes(const postgres::Examination& found) {
  if (found.takes_writes) return {good, "writes", "The server takes them."};
  return {wrong, "writes", "The server is a standby, or is set to read only.",
          "Name all hosts in the URL, and let libpq find the primary: ?target_session_attrs=read-write"};
}

Diagnosis diagnose_durability(const postgres::Examination& found) {
  if (found.is_synchronous) return {good, "commits", "They wait for the disk."};
  return {warning, "commits", "synchronous_commit is off: producers can lose what they have committed.",
          "Set it to on, at least for the producers' role. Makegood's own commits wait for the disk anyway."};
}

Diagnosis diagnose_clock(const postgres::Examination& found) {
  const Duration difference = std::chrono::abs(found.clock_ahead);
  const bool is_close = difference <= clock_difference_max + found.round_trip;
  if (is_close) return {good, "clock", "The server's and this machine's are close."};
  return {wrong, "clock",
          fmt::format("The server's is {} {} this machine's.", age_text(difference),
                      found.clock_ahead > Duration::zero() ? "ahead of" : "behind"),
          "Set both by NTP (timedatectl). Leases are the server's time; what people read is told by both."};
}

/// One that nobody ends keeps its numbers open for ever, and keeps the server from vacuuming.
Diagnosis diagnose_prepared(const postgres::Examination& found, TimePoint now) {
  if (found.prepared_max == 0) return {good, "two-phase", "max_prepared_transactions is 0: nobody can leave one."};
  const Duration age = now - found.prepared_at;
  const std::string left =
      found.prepared.empty() ? "none is left" : fmt::format("'{}' is {} old", found.prepared, age_text(age));
  if (found.prepared.empty() || age < prepared_age_max) {
    return {good, "two-phase", fmt::format("max_prepared_transactions is {}; {}.", found.prepared_max, left)};
  }
  return {
      warning, "two-phase",
      fmt::format("The prepared transaction '{}' has not ended since {}: what it enqueued is neither sent nor gone.",
                  found.prepared, age_text(age)),
      "Ask its coordinator; then COMMIT PREPARED or ROLLBACK PREPARED."};
}

Diagnosis diagnose_sessions(const postgres::Examination& found) {
  if (found.sees_sessions) return {good, "sessions", "This role sees who stands still in a transaction."};
  return {
      warning, "sessions",
      "This role does not see whether transactions of others stand still: one that is left open keeps the number of "
      "every rollback open with it.",
      "GRANT pg_read_all_stats to the role of the relay, as `makegood migrate grants` does."};
}

/// No server tells how much room is left.
Diagnosis diagnose_disk(const postgres::Examination& found) {
  const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(found.database_bytes, 0));
  return {good, "disk",
          fmt::format("The database takes {}. How much room is left only the server's machine knows: df -h, where its "
                      "data_directory and its tablespaces are.",
                      config::format_bytes(bytes))};
}

}  // namespace

Diagnoses diagnose_server(const postgres::Examination& found, TimePoint now) {
  Diagnoses all = {diagnose_version(found), diagnose_writes(found),        diagnose_durability(found),
                   diagnose_clock(found),   diagnose_prepared(found, now), diagnose_sessions(found),
                   diagnose_disk(found)};
  if (found.is_pooled) all.push_back({good, "pooler", "There is one in between; statements are not kept prepared."});
  return all;
}

}  // namespace makegood::cli
