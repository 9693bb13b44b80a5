// What `makegood doctor` looks at, and what it finds.
#pragma once

#include <string>
#include <vector>

#include "makegood/clock.hpp"

namespace makegood::cli {

struct Diagnosis {
  enum class State { good, warning, wrong };
  State state = State::good;
  std::string check;
  std::string what;
  std::string mend = {};  ///< What to do about it.
};
using Diagnoses = std::vector<Diagnosis>;

/// The database file and what lies beside it: there, writable, on a local disk with room, not a copy.
Diagnoses examine_files(const std::string& file, const std::vector<std::string>& outboxes);
/// The server and what it says of the tables: version, writes, clock, rights, migrations, not a copy.
Diagnoses examine_postgres(const std::string& url, const std::vector<std::string>& outboxes);
/// Tables, owner, routes and clocks of one outbox.
Diagnoses examine_outbox(const std::string& store_url, const std::string& outbox, TimePoint now);

}  // namespace makegood::cli
