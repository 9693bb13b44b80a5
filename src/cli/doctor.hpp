// What `makegood doctor` looks at, and what it finds.
#pragma once

#include <string>
#include <vector>

#include "base/origin.hpp"
#include "config/config.hpp"
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
Diagnoses examine_files(const std::string& file, const config::StoreConfig& store);
/// The server and what it says of the tables: version, writes, clock, rights, migrations, not a copy.
Diagnoses examine_postgres(const config::StoreConfig& store);
/// `store_flag` names the store in what is advised.
Diagnosis diagnose_copy(const OriginReport& report, std::string check, const std::string& store_flag);
/// Whether this process has a name for where it runs.
Diagnosis diagnose_environment(const std::string& environment);
/// Tables, owner, routes and clocks of one outbox.
Diagnoses examine_outbox(const std::string& store_url, const std::string& outbox, TimePoint now);
/// Executions that wait for a person or have failed; nothing on a store without sagas.
Diagnoses examine_sagas(const std::string& store_url);

}  // namespace makegood::cli
