// The files of one crash test.
#pragma once

#include <filesystem>
#include <string>

namespace makegood::crash {

struct Place {
  std::filesystem::path folder;
  std::filesystem::path disk = folder;  ///< Where the database is.

  std::string database() const { return (disk / "shop.db").string(); }
  std::string chronicle() const { return (folder / "chronicle").string(); }
};

}  // namespace makegood::crash
