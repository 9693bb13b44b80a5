// What `makegood doctor` asks a server.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/result.hpp"

namespace makegood::postgres {

struct Examination {
  int version = 0;  ///< As PostgreSQL counts them: 150004 for 15.4.
  std::string version_text = {};
  bool is_pooled = false;
  bool takes_writes = false;
  bool is_synchronous = false;  ///< A commit waits for the disk, unless a transaction asks for less.
  bool sees_sessions = false;   ///< Whether a transaction of another role stands still.
  int prepared_max = 0;         ///< max_prepared_transactions.
  std::string prepared = {};    ///< The oldest transaction that is prepared and not ended; empty: none.
  TimePoint prepared_at = {};
  Duration clock_ahead = {};  ///< How far the server's clock is ahead of this machine's, give or take `round_trip`.
  Duration round_trip = {};
  std::int64_t database_bytes = 0;
  std::int64_t sequence_cache = 1;               ///< Of the log's numbers.
  std::vector<std::string> missing_rights = {};  ///< `"public"."makegood_outbox_turn": INSERT`.
};

inline constexpr int oldest_version = 140001;

/// Changes nothing. What depends on the tables is left as it is while they are missing.
Result<Examination> examine(std::string_view url, std::string_view outbox, const Clock& clock);

}  // namespace makegood::postgres
