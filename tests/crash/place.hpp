// Where one crash test keeps what it has: the files, and the database that is one of them or is on a server.
#pragma once

#include <filesystem>
#include <string>

namespace makegood::crash {

struct Place {
  std::filesystem::path folder;
  std::filesystem::path disk = folder;  ///< Where the database is, if it is a file.
  std::string server = {};              ///< The URL of a PostgreSQL database; empty: it is a file.

  std::string database() const { return (disk / "shop.db").string(); }
  std::string url() const { return server.empty() ? "sqlite:" + database() : server; }
  std::string chronicle() const { return (folder / "chronicle").string(); }
};

}  // namespace makegood::crash
