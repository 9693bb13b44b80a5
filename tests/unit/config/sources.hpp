// Configurations for tests: a folder that goes away, files in it, and what loading them says.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "config/load.hpp"

namespace makegood::config {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "makegood-config-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

inline Loaded load_yaml(const std::string& text) {
  const TemporaryFolder folder;
  return load({.file = folder.write("makegood.yaml", text)});
}

/// Each mistake as its line, without the folder.
inline std::vector<std::string> lines_of(const std::vector<Mistake>& mistakes) {
  std::vector<std::string> lines;
  for (Mistake mistake : mistakes) {
    mistake.where.name = std::filesystem::path(mistake.where.name).filename().string();
    lines.push_back(to_string(mistake));
  }
  return lines;
}

inline std::vector<std::string> mistakes_in(const std::string& yaml) {
  return lines_of(load_yaml(yaml).findings.mistakes);
}

using Lines = std::vector<std::string>;

}  // namespace makegood::config
