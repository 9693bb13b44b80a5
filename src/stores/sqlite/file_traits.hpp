// What tells a database file from a copy of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/origin.hpp"

namespace makegood::sqlite {

/// Nothing, or empty: not known. Each is compared only where both sides know it.
struct FileTraits {
  std::string environment = {};            ///< The name of where the process runs.
  std::optional<std::int64_t> inode = {};  ///< 0 for a database that is not a file.
  std::optional<std::int64_t> birth = {};  ///< Nanoseconds since 1970; not every file system keeps it.
  std::string machine = {};                ///< A digest; not in containers.
  bool operator==(const FileTraits&) const = default;
};

/// The file at `path` as it is now. Ask only once SQLite has it open for writing: a file of a container's image is
/// copied by that, and is another one from then on.
Result<FileTraits> traits_of_file(const std::string& path);

/// Equal names: ours, wherever it lies. A name that only the record has, or another one: a copy. Else the file decides.
OriginReport judge(const FileTraits& recorded, const FileTraits& here);

/// What is to be recorded of a file that is ours: what the record lacks; under the same name all, as it is here.
FileTraits completed(const FileTraits& recorded, const FileTraits& here);

/// Whether the record speaks of another file than this one, whatever the names say: numbers may be drawn again in it.
bool is_other_file(const FileTraits& recorded, const FileTraits& here);

}  // namespace makegood::sqlite
