// Which server and which session the last exchange was with. What was seen there holds only as long as both are the
// same: another server, or the same one after a restart, may have forgotten it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "makegood/clock.hpp"
#include "makegood/result.hpp"
#include "stores/postgres/connection.hpp"

namespace makegood::postgres {

class Exchange {
 public:
  explicit Exchange(const Connection& connection) : session_(connection.session_number()) {}

  /// A lane was taken: what the session shows from here on follows what the taking turn has seen.
  void begin(Connection& connection, Duration lease);
  /// Before a look. Errc::store_unavailable: there is a new session.
  Result<> check_session(Connection& connection);
  /// The look's answer. Errc::store_unavailable: another server answers, or it was restarted.
  Result<> check_server(TimePoint start);
  /// Before a turn: whether what the look saw is certainly still there.
  Result<> check_unbroken(const Connection& connection) const;
  /// Once per session, where it is ours alone: the first commit makes them last.
  void add_settings(Pipeline& pipeline, const Connection& connection) const;
  void was_committed(const Connection& connection);
  bool has_settings(const Connection& connection) const { return settled_session_ == connection.session_number(); }

 private:
  std::uint64_t session_;                  ///< On which the last taking or failed look was.
  std::optional<TimePoint> server_start_;  ///< Of the server that was seen last.
  std::uint64_t settled_session_ = 0;      ///< Which has the settings for good.
  std::string idle_timeout_ = "5000";      ///< In milliseconds, below one lease.
};

}  // namespace makegood::postgres
