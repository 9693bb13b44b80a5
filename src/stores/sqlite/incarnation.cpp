#include "stores/sqlite/incarnation.hpp"

#include "makegood_store_sqlite_sql.hpp"
#include "stores/sql/transaction.hpp"
#include "stores/sqlite/file_traits.hpp"
#include "stores/sqlite/migrate.hpp"
#include "stores/sqlite/sqlite.hpp"

namespace makegood::sqlite {
namespace {

struct Recorded {
  std::string incarnation;
  FileTraits file;
};

/// Nothing: somebody has removed the record.
Result<std::optional<Recorded>> read_recorded(Connection& connection) {
  Rows rows = MAKEGOOD_TRY(connection.query(sql::read_incarnation));
  if (!MAKEGOOD_TRY(rows.next())) return std::optional<Recorded>();
  return std::optional(Recorded{std::string(rows.text(0)), FileTraits{.environment = std::string(rows.text(4)),
                                                                      .inode = rows.integer_or_null(1),
                                                                      .birth = rows.integer_or_null(2),
                                                                      .machine = std::string(rows.text(3))}});
}

Result<> record_file(Connection& connection, const FileTraits& file) {
  MAKEGOOD_TRY(connection.execute(sql::record_inode, file.inode));
  return connection.execute(sql::record_traits, file.birth, NullIfEmpty{file.machine}, NullIfEmpty{file.environment});
}

Result<FileTraits> traits_here(const Connection& connection, const std::string& environment) {
  FileTraits here = MAKEGOOD_TRY(traits_of_file(connection.file()));
  here.environment = environment;
  return here;
}

OriginReport report_of(const std::optional<Recorded>& recorded, const FileTraits& here) {
  if (recorded) return judge(recorded->file, here);
  return {.is_copy = true,
          .has_environment = !here.environment.empty(),
          .traits = {{.name = "incarnation", .here = "removed", .differs = true}}};
}

}  // namespace

Result<> record_first_traits(Connection& connection) {
  const auto recorded = MAKEGOOD_TRY(read_recorded(connection));
  if (!recorded || recorded->file.inode) return {};
  FileTraits here = MAKEGOOD_TRY(traits_here(connection, {}));
  here.machine.clear();  // Whoever migrates may do so from elsewhere; the next owner says where it runs.
  return record_file(connection, here);
}

Result<std::string> check_incarnation(Connection& connection, const std::string& environment) {
  const auto recorded = MAKEGOOD_TRY(read_recorded(connection));
  const FileTraits here = MAKEGOOD_TRY(traits_here(connection, environment));
  const OriginReport report = report_of(recorded, here);
  if (report.is_copy) return copy_error(report);
  const FileTraits complete = completed(recorded->file, here);
  if (complete == recorded->file) return recorded->incarnation;
  MAKEGOOD_TRY(record_file(connection, complete));
  if (!is_other_file(recorded->file, here)) return recorded->incarnation;
  MAKEGOOD_TRY(connection.execute(sql::renew_incarnation));
  return MAKEGOOD_TRY(read_recorded(connection))->incarnation;
}

Result<OriginReport> examine_origin(std::string_view path, const std::string& environment) {
  const Identifier any_outbox = MAKEGOOD_TRY(Identifier::from("makegood_outbox"));
  Connection connection = MAKEGOOD_TRY(Connection::open_existing(path, any_outbox));
  return report_of(MAKEGOOD_TRY(read_recorded(connection)), MAKEGOOD_TRY(traits_here(connection, environment)));
}

Result<> try_write_lock(std::string_view path) {
  const Identifier any_outbox = MAKEGOOD_TRY(Identifier::from("makegood_outbox"));
  Connection connection = MAKEGOOD_TRY(Connection::open_existing(path, any_outbox));
  MAKEGOOD_TRY(connection.begin_write());
  connection.roll_back();
  return {};
}

Result<> adopt(std::string_view path, const std::string& environment) {
  // The identity belongs to the file, whatever outboxes are in it.
  const Identifier any_outbox = MAKEGOOD_TRY(Identifier::from("makegood_outbox"));
  Connection connection = MAKEGOOD_TRY(Connection::open_existing(path, any_outbox));
  auto transaction = MAKEGOOD_TRY(relational::Transaction::begin_write(connection));
  FileTraits here = MAKEGOOD_TRY(traits_here(connection, environment));
  here.machine.clear();  // The next owner says where it runs.
  MAKEGOOD_TRY(connection.execute(sql::renew_incarnation));
  MAKEGOOD_TRY(record_file(connection, here));
  return transaction.commit();
}

}  // namespace makegood::sqlite
