#include "bench/bare.hpp"

#include "bench/bare_postgres.hpp"
#include "bench/bare_sqlite.hpp"

namespace makegood::bench {

std::string file_of(const std::string& store_url) {
  constexpr std::string_view scheme = "sqlite:";
  return store_url.starts_with(scheme) ? store_url.substr(scheme.size()) : "";
}

std::unique_ptr<Bare> open_bare(const std::string& store_url) {
  const std::string file = file_of(store_url);
  if (file.empty()) return std::make_unique<BarePostgres>(store_url);
  return std::make_unique<BareSqlite>(file);
}

}  // namespace makegood::bench
