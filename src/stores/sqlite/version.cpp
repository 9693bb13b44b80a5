#include <fmt/format.h>
#include <sqlite3.h>

#include "stores/sqlite/sqlite.hpp"

namespace makegood::sqlite {

std::string version_warning() {
  constexpr int first_without_the_bug = 3051003;
  if (sqlite3_libversion_number() >= first_without_the_bug) return {};
  return fmt::format(
      "SQLite {} can damage a database, very rarely, when two connections write and checkpoint at the same moment; use "
      "3.51.3 or later.",
      sqlite3_libversion());
}

}  // namespace makegood::sqlite
