// The one list of migrations: those of outboxes, and those of what a log of sagas has besides.
#pragma once

#include <array>
#include <string_view>

#include "makegood_store_postgres_sql.hpp"
#include "stores/sql/migrations.hpp"

namespace makegood::postgres {

using relational::Migration;
using relational::MigrationSeries;

inline constexpr std::array migrations = {
    Migration{1, "outbox", sql::migration_0001_outbox, sql::migration_0001_outbox_down},
    Migration{2, "enqueue", sql::migration_0002_enqueue, sql::migration_0002_enqueue_down},
    Migration{3, "wake_up", sql::migration_0003_wake_up, sql::migration_0003_wake_up_down},
    Migration{4, "status", sql::migration_0004_status, sql::migration_0004_status_down},
    Migration{5, "changed_at", sql::migration_0005_changed_at, sql::migration_0005_changed_at_down},
    Migration{6, "log_mark", sql::migration_0006_log_mark, sql::migration_0006_log_mark_down, sql::status_views},
    Migration{7, "deletes", sql::migration_0007_deletes, sql::migration_0007_deletes_down},
    Migration{8, "answered", sql::migration_0008_answered, sql::migration_0008_answered_down},
    Migration{9, "places", sql::migration_0009_places, sql::migration_0009_places_down},
    Migration{10, "log_oid", sql::migration_0010_log_oid, sql::migration_0010_log_oid_down},
    Migration{11, "replay", sql::migration_0011_replay, sql::migration_0011_replay_down},
};
inline constexpr MigrationSeries of_outboxes{.migrations = migrations, .number = sql::migration_number};

inline constexpr std::array saga_migrations = {
    Migration{1, "sagas", sql::saga_migration_0001_sagas, sql::saga_migration_0001_sagas_down},
    Migration{2, "views", sql::saga_migration_0002_views, sql::saga_migration_0002_views_down},
    Migration{3, "keys", sql::saga_migration_0003_keys, sql::saga_migration_0003_keys_down},
    Migration{4, "repin", sql::saga_migration_0004_repin, sql::saga_migration_0004_repin_down, sql::saga_views},
    Migration{5, "summary", sql::saga_migration_0005_summary, sql::saga_migration_0005_summary_down},
};
inline constexpr MigrationSeries of_sagas{
    .migrations = saga_migrations, .suffix = "_journal", .number = sql::saga_migration_number};

inline constexpr std::array source_migrations = {
    Migration{1, "sources", sql::source_migration_0001_sources, sql::source_migration_0001_sources_down},
};
inline constexpr MigrationSeries of_sources{
    .migrations = source_migrations, .suffix = "_source", .number = sql::source_migration_number};

}  // namespace makegood::postgres
