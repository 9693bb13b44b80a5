// The one list of migrations.
#pragma once

#include <array>
#include <string_view>

#include "makegood_store_postgres_sql.hpp"

namespace makegood::postgres {

struct Migration {
  int number;
  std::string_view name;
  std::string_view up;
  std::string_view down;
};

inline constexpr std::array migrations = {
    Migration{1, "outbox", sql::migration_0001_outbox, sql::migration_0001_outbox_down},
    Migration{2, "enqueue", sql::migration_0002_enqueue, sql::migration_0002_enqueue_down},
    Migration{3, "wake_up", sql::migration_0003_wake_up, sql::migration_0003_wake_up_down},
    Migration{4, "status", sql::migration_0004_status, sql::migration_0004_status_down},
    Migration{5, "changed_at", sql::migration_0005_changed_at, sql::migration_0005_changed_at_down},
};

}  // namespace makegood::postgres
