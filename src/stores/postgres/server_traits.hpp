// What tells a database of a server from a copy of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/origin.hpp"
#include "stores/postgres/place.hpp"

namespace makegood::postgres {

/// A database of a server. A physical copy has all of it alike.
struct Server {
  std::int64_t system = 0;
  std::int64_t timeline = 0;                  ///< Grows with each promotion, of a standby and of a copy alike.
  std::optional<std::int64_t> database = {};  ///< Its oid. Nothing in a record from before databases were told apart.
  bool operator==(const Server&) const = default;
};

/// The oids of a log and its sequence: a restore over the database makes other tables in their place. The file of the
/// sequence changes when it is altered or restarted. The log's own says nothing: VACUUM FULL changes it.
struct LogOids {
  std::int64_t log = 0;
  std::int64_t number = 0;
  std::int64_t number_file = 0;  ///< 0: not recorded yet.
  bool operator==(const LogOids&) const = default;
};

struct RecordedTraits {
  std::optional<Server> server = {};  ///< Nothing: somebody has removed the record.
  std::string environment = {};
  std::vector<Place> places = {};   ///< Where it has been reached. None: not recorded yet.
  std::optional<LogOids> log = {};  ///< Of this outbox. Nothing: not recorded yet.
  bool operator==(const RecordedTraits&) const = default;
};

struct TraitsHere {
  Server server = {};
  std::string environment = {};
  Place place = {};
  std::vector<Place> configured = {};  ///< All hosts of the URL: a failover leads to another of them without a hand.
  std::string address = {};            ///< As the server has it. It is shown, and never judged.
  LogOids log = {};
};

/// `is_asking`: all else agrees, but it was never reached here. Whether it is a copy, only the recorded places can say.
struct Judgement {
  OriginReport report = {};
  bool is_asking = false;
};

/// Equal names: ours, wherever it is reached. A name that only the record has, or another one: a copy. Else server and
/// place decide.
Judgement judge(const RecordedTraits& recorded, const TraitsHere& here);

/// What is to be recorded of a database that is ours. The oldest places make room for new ones.
RecordedTraits completed(const RecordedTraits& recorded, const TraitsHere& here);

/// `7123-1-16384`: within it numbers are drawn once.
std::string to_string(const Server& server);

}  // namespace makegood::postgres
