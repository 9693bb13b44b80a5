#include "tests/crash/database.hpp"

namespace makegood::crash {

Result<std::unique_ptr<Database>> open_database(const std::string& url) {
  constexpr std::string_view file = "sqlite:";
  return url.starts_with(file) ? open_sqlite_database(url.substr(file.size())) : open_postgres_database(url);
}

}  // namespace makegood::crash
