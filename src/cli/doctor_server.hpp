// What is to be thought of a PostgreSQL server that has been asked.
#pragma once

#include "cli/doctor.hpp"
#include "stores/postgres/examination.hpp"

namespace makegood::cli {

/// Its version, whether it takes writes and keeps them, its clock, and what others have left behind in it.
Diagnoses diagnose_server(const postgres::Examination& found, TimePoint now);

}  // namespace makegood::cli
