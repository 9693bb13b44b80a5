#include "stores/sqlite/log_pin.hpp"

#include <sqlite3.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace makegood::sqlite {
namespace {

/// The only one that SQLite versions with the bug have.
constexpr std::uint32_t known_format = 3007000;

/// The index of the log as sqlite.org/walformat.html tells it, in the memory that all connections to the file share.
struct LogIndex {
  std::array<std::uint32_t, 12> header;  ///< Another one after each commit.
  std::uint32_t copied;                  ///< As many frames of the log are in the database.

  std::uint32_t format() const { return header[0]; }
  std::uint32_t frames() const { return header[4]; }
};

/// By way of SQLite's own file: to open and close it once more would drop the locks that this process has on it.
std::uint32_t* shared_memory_of(sqlite3* db) {
  constexpr int region_bytes = 32 << 10;
  sqlite3_file* file = nullptr;
  if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK) return nullptr;
  if (file == nullptr || file->pMethods == nullptr || file->pMethods->iVersion < 2) return nullptr;
  void volatile* memory = nullptr;
  if (file->pMethods->xShmMap(file, 0, region_bytes, 0, &memory) != SQLITE_OK) return nullptr;
  return static_cast<std::uint32_t*>(const_cast<void*>(memory));
}

/// When a log is begun anew, its header changes before the count does. So the count is read first: an old header that
/// is read after it proves that the count belongs to it.
LogIndex read_index(std::uint32_t* memory) {
  constexpr std::size_t copied_at = 24;  // Behind the header and its copy.
  const auto load = [&](std::size_t at) { return std::atomic_ref(memory[at]).load(std::memory_order_acquire); };
  LogIndex index{.header = {}, .copied = load(copied_at)};
  for (std::size_t at = 0; at < index.header.size(); ++at) index.header[at] = load(at);
  return index;
}

/// What needs no table: to learn of those took most of a checkpoint's time.
bool begin_reading(sqlite3* db) {
  return sqlite3_exec(db, "BEGIN; PRAGMA schema_version", nullptr, nullptr, nullptr) == SQLITE_OK;
}

}  // namespace

void CloseHandle::operator()(sqlite3* db) const noexcept { sqlite3_close_v2(db); }

Handle open_to_checkpoint(const std::string& file) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  Handle db(opened);
  if (code != SQLITE_OK) return nullptr;
  if (sqlite3_exec(db.get(), "PRAGMA schema_version", nullptr, nullptr, nullptr) != SQLITE_OK) return nullptr;
  return db;
}

std::optional<LogPin> LogPin::hold(const std::string& file) {
  Handle reader = open_to_checkpoint(file);
  std::uint32_t* const memory = reader ? shared_memory_of(reader.get()) : nullptr;
  if (memory == nullptr) return std::nullopt;
  const LogIndex before = read_index(memory);
  if (!begin_reading(reader.get())) return std::nullopt;
  const LogIndex after = read_index(memory);
  if (after.format() != known_format) return LogPin(std::move(reader));
  // With no commit in between, what is not copied now was not copied when the reader began, and so the reader needs it.
  if (after.header != before.header || after.copied >= after.frames()) return std::nullopt;
  return LogPin(std::move(reader));
}

}  // namespace makegood::sqlite
