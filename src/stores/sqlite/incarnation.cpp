#include "stores/sqlite/incarnation.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "makegood_store_sqlite_sql.hpp"
#include "stores/sqlite/sqlite.hpp"
#include "stores/sqlite/transaction.hpp"

namespace makegood::sqlite {
namespace {

/// 0 for a database that is not a file.
Result<std::int64_t> inode_of(const Connection& connection) {
  const std::string file = connection.file();
  if (file.empty()) return std::int64_t{0};
  struct stat status = {};
  if (stat(file.c_str(), &status) == 0) return static_cast<std::int64_t>(status.st_ino);
  return Error{Errc::store_unavailable, "The database file is gone.",
               fmt::format("{}: {}", file, std::strerror(errno))};
}

}  // namespace

Result<> record_first_inode(Connection& connection) {
  const std::int64_t inode = MAKEGOOD_TRY(inode_of(connection));
  return connection.execute(sql::record_inode, inode);
}

Result<std::string> check_incarnation(Connection& connection) {
  const std::int64_t inode = MAKEGOOD_TRY(inode_of(connection));
  Rows rows = MAKEGOOD_TRY(connection.query(sql::read_incarnation));
  const bool is_known = MAKEGOOD_TRY(rows.next());
  std::string incarnation = is_known ? std::string(rows.text(0)) : std::string();
  if (is_known && rows.is_null(1)) {
    MAKEGOOD_TRY(connection.execute(sql::record_inode, inode));
    return incarnation;
  }
  if (is_known && rows.integer(1) == inode) return incarnation;
  return Error{Errc::store_foreign,
               "This database is a copy; nothing is sent from it. If it is the real one now, run `makegood adopt`.",
               is_known ? fmt::format("inode {}, recorded {}", inode, rows.integer(1)) : "no incarnation recorded"};
}

Result<bool> is_copy(std::string_view path) {
  const Identifier any_outbox = MAKEGOOD_TRY(Identifier::from("makegood_outbox"));
  Connection connection = MAKEGOOD_TRY(Connection::open_existing(path, any_outbox));
  const std::int64_t inode = MAKEGOOD_TRY(inode_of(connection));
  Rows rows = MAKEGOOD_TRY(connection.query(sql::read_incarnation));
  return MAKEGOOD_TRY(rows.next()) && !rows.is_null(1) && rows.integer(1) != inode;
}

Result<> adopt(std::string_view path) {
  // The identity belongs to the file, whatever outboxes are in it.
  const Identifier any_outbox = MAKEGOOD_TRY(Identifier::from("makegood_outbox"));
  Connection connection = MAKEGOOD_TRY(Connection::open_existing(path, any_outbox));
  auto transaction = MAKEGOOD_TRY(Transaction::begin_write(connection));
  const std::int64_t inode = MAKEGOOD_TRY(inode_of(connection));
  MAKEGOOD_TRY(connection.execute(sql::adopt, inode));
  return transaction.commit();
}

}  // namespace makegood::sqlite
