#include "tests/crash/faulty_vfs.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "makegood/spi/assert.hpp"
#include "tests/crash/held_back.hpp"

namespace makegood::crash {

std::string_view to_string(Call call) {
  switch (call) {
    case Call::open:
      return "open";
    case Call::read:
      return "read";
    case Call::write:
      return "write";
    case Call::truncate:
      return "truncate";
    case Call::sync:
      return "sync";
    case Call::size:
      return "size";
    case Call::lock:
      return "lock";
    case Call::remove:
      return "remove";
    case Call::access:
      return "access";
    case Call::share:
      return "share";
    case Call::share_lock:
      return "share_lock";
  }
  return "";
}

class FaultyVfs::State {
 public:
  State(Faults faults, std::function<void(Call)> on_strike)
      : faults_(faults), on_strike_(std::move(on_strike)), random_(faults.seed), base_(sqlite3_vfs_find(nullptr)) {}

  sqlite3_vfs* base() const { return base_; }
  HeldBackDisk* disk() { return is_holding_back() ? &disk_ : nullptr; }
  bool has_struck() const { return has_struck_; }
  void heal() { is_healed_ = true; }

  /// Whether this call fails. A power loss does not return.
  bool strikes(Call call) {
    if (is_healed_ || faults_.kind == Faults::Kind::none) return false;
    if (faults_.kind == Faults::Kind::power_loss && !is_change(call)) return false;
    if (faults_.only.value_or(call) != call) return false;
    if (has_struck_) return faults_.kind == Faults::Kind::fail_for_good;
    if (++count_ != faults_.at_call) return false;
    has_struck_ = true;
    on_strike_(call);
    if (faults_.kind == Faults::Kind::power_loss) cut_power();
    return true;
  }

  [[noreturn]] void cut_power() {
    disk_.lose_power(random_);
    raise(SIGKILL);
    std::abort();
  }
  void write_back() { disk_.write_back(); }

  sqlite3_vfs vfs = {};

 private:
  bool is_holding_back() const {
    return faults_.kind == Faults::Kind::fail_for_good || faults_.kind == Faults::Kind::power_loss;
  }
  static bool is_change(Call call) {
    return call == Call::write || call == Call::truncate || call == Call::sync || call == Call::remove;
  }

  const Faults faults_;
  const std::function<void(Call)> on_strike_;
  std::mt19937 random_;
  sqlite3_vfs* const base_;
  HeldBackDisk disk_;
  unsigned count_ = 0;
  bool has_struck_ = false;
  bool is_healed_ = false;
};

namespace {

using State = FaultyVfs::State;

/// SQLite allots it, with room for the file of the VFS below behind it.
struct File {
  sqlite3_file base;
  State* state;
  HeldBackFile* held_back;  ///< Null: writes go through at once. Kept alive by `keep`.
  HeldBackFilePtr* keep;
  bool is_log;  ///< A journal or a write-ahead log: its first sync covers the folder.
  sqlite3_file* below() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

File& of(sqlite3_file* file) { return *reinterpret_cast<File*>(file); }
State& of(sqlite3_vfs* vfs) { return *static_cast<State*>(vfs->pAppData); }

int close_file(sqlite3_file* handle) {
  File& file = of(handle);
  delete file.keep;  // SQLite's struct has no destructor.
  return file.below()->pMethods->xClose(file.below());
}

int read_file(sqlite3_file* handle, void* into, int count, sqlite3_int64 offset) {
  File& file = of(handle);
  if (file.state->strikes(Call::read)) return SQLITE_IOERR_READ;
  if (file.held_back == nullptr) return file.below()->pMethods->xRead(file.below(), into, count, offset);
  const std::string& content = file.held_back->content();
  const auto wanted = static_cast<std::size_t>(count);
  const auto at = std::min(static_cast<std::size_t>(offset), content.size());
  const std::size_t there = content.copy(static_cast<char*>(into), wanted, at);
  std::memset(static_cast<char*>(into) + there, 0, wanted - there);
  return there == wanted ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
}

int write_through(File& file, const void* from, int count, sqlite3_int64 offset) {
  if (file.held_back == nullptr) return file.below()->pMethods->xWrite(file.below(), from, count, offset);
  file.held_back->write(static_cast<std::size_t>(offset),
                        {static_cast<const char*>(from), static_cast<std::size_t>(count)});
  return SQLITE_OK;
}

int write_file(sqlite3_file* handle, const void* from, int count, sqlite3_int64 offset) {
  File& file = of(handle);
  if (file.state->strikes(Call::write)) {
    write_through(file, from, count / 2, offset);
    return SQLITE_IOERR_WRITE;
  }
  return write_through(file, from, count, offset);
}

int truncate_file(sqlite3_file* handle, sqlite3_int64 size) {
  File& file = of(handle);
  if (file.state->strikes(Call::truncate)) return SQLITE_IOERR_TRUNCATE;
  if (file.held_back == nullptr) return file.below()->pMethods->xTruncate(file.below(), size);
  file.held_back->truncate(static_cast<std::size_t>(size));
  return SQLITE_OK;
}

int sync_file(sqlite3_file* handle, int) {
  File& file = of(handle);
  if (file.state->strikes(Call::sync)) return SQLITE_IOERR_FSYNC;
  if (file.held_back != nullptr) file.state->disk()->sync(*file.held_back, file.is_log);
  return SQLITE_OK;
}

int size_of_file(sqlite3_file* handle, sqlite3_int64* size) {
  File& file = of(handle);
  if (file.state->strikes(Call::size)) return SQLITE_IOERR_FSTAT;
  if (file.held_back == nullptr) return file.below()->pMethods->xFileSize(file.below(), size);
  *size = static_cast<sqlite3_int64>(file.held_back->content().size());
  return SQLITE_OK;
}

int lock_file(sqlite3_file* handle, int kind) {
  File& file = of(handle);
  if (file.state->strikes(Call::lock)) return SQLITE_IOERR_LOCK;
  return file.below()->pMethods->xLock(file.below(), kind);
}

int unlock_file(sqlite3_file* handle, int kind) {
  return of(handle).below()->pMethods->xUnlock(of(handle).below(), kind);
}

int check_reserved_lock(sqlite3_file* handle, int* answer) {
  return of(handle).below()->pMethods->xCheckReservedLock(of(handle).below(), answer);
}

int control_file(sqlite3_file* handle, int operation, void* argument) {
  return of(handle).below()->pMethods->xFileControl(of(handle).below(), operation, argument);
}

int sector_size(sqlite3_file* handle) { return of(handle).below()->pMethods->xSectorSize(of(handle).below()); }

int characteristics(sqlite3_file* handle) {
  return of(handle).below()->pMethods->xDeviceCharacteristics(of(handle).below());
}

int map_shared(sqlite3_file* handle, int page, int size, int extend, void volatile** memory) {
  File& file = of(handle);
  if (file.state->strikes(Call::share)) return SQLITE_IOERR_SHMMAP;
  return file.below()->pMethods->xShmMap(file.below(), page, size, extend, memory);
}

int lock_shared(sqlite3_file* handle, int offset, int count, int flags) {
  File& file = of(handle);
  const bool is_locking = (flags & SQLITE_SHM_LOCK) != 0;
  if (is_locking && file.state->strikes(Call::share_lock)) return SQLITE_IOERR_SHMLOCK;
  return file.below()->pMethods->xShmLock(file.below(), offset, count, flags);
}

void barrier_shared(sqlite3_file* handle) { of(handle).below()->pMethods->xShmBarrier(of(handle).below()); }

int unmap_shared(sqlite3_file* handle, int is_deleting) {
  return of(handle).below()->pMethods->xShmUnmap(of(handle).below(), is_deleting);
}

// Version 2: without memory maps, which would pass all of this by.
constexpr sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = size_of_file,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = check_reserved_lock,
    .xFileControl = control_file,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
    .xShmMap = map_shared,
    .xShmLock = lock_shared,
    .xShmBarrier = barrier_shared,
    .xShmUnmap = unmap_shared,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

int open_file(sqlite3_vfs* vfs, const char* name, sqlite3_file* handle, int flags, int* flags_out) {
  State& state = of(vfs);
  File& file = of(handle);
  file.base.pMethods = nullptr;
  if (state.strikes(Call::open)) return SQLITE_CANTOPEN;
  const int lasting = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL;
  const bool is_lasting = name != nullptr && (flags & lasting) != 0;
  const bool is_new = is_lasting && !std::filesystem::exists(name);
  const int code = state.base()->xOpen(state.base(), name, file.below(), flags, flags_out);
  if (code != SQLITE_OK) return code;
  file.state = &state;
  file.is_log = (flags & SQLITE_OPEN_MAIN_DB) == 0;
  const bool is_held_back = is_lasting && state.disk() != nullptr;
  file.keep = is_held_back ? new HeldBackFilePtr(state.disk()->open(name, is_new)) : nullptr;
  file.held_back = is_held_back ? file.keep->get() : nullptr;
  file.base.pMethods = &methods;
  return SQLITE_OK;
}

int remove_file(sqlite3_vfs* vfs, const char* name, int with_folder) {
  State& state = of(vfs);
  if (state.strikes(Call::remove)) return SQLITE_IOERR_DELETE;
  if (state.disk() == nullptr) return state.base()->xDelete(state.base(), name, 0);
  if (!std::filesystem::exists(name)) return SQLITE_IOERR_DELETE_NOENT;
  state.disk()->remove(name, with_folder != 0);
  return SQLITE_OK;
}

int access_file(sqlite3_vfs* vfs, const char* name, int flags, int* answer) {
  State& state = of(vfs);
  if (state.strikes(Call::access)) return SQLITE_IOERR_ACCESS;
  const auto held_back = state.disk() != nullptr ? state.disk()->find(name) : nullptr;
  if (!held_back || flags != SQLITE_ACCESS_EXISTS) return state.base()->xAccess(state.base(), name, flags, answer);
  *answer = held_back->content().empty() ? 0 : 1;  // As the unix VFS does: an empty file is none.
  return SQLITE_OK;
}

/// Everything that is not a file's business is the default VFS's, whose functions may ask for their own structure.
template <auto Member, class... Arguments>
auto below(sqlite3_vfs* vfs, Arguments... arguments) {
  sqlite3_vfs* base = of(vfs).base();
  return (base->*Member)(base, arguments...);
}

sqlite3_vfs made_of(State& state) {
  const sqlite3_vfs& base = *state.base();
  sqlite3_vfs vfs = base;
  vfs.iVersion = 1;
  vfs.szOsFile = static_cast<int>(sizeof(File)) + base.szOsFile;
  vfs.pNext = nullptr;
  vfs.zName = "faulty";
  vfs.pAppData = &state;
  vfs.xOpen = open_file;
  vfs.xDelete = remove_file;
  vfs.xAccess = access_file;
  vfs.xFullPathname = below<&sqlite3_vfs::xFullPathname, const char*, int, char*>;
  vfs.xRandomness = below<&sqlite3_vfs::xRandomness, int, char*>;
  vfs.xSleep = below<&sqlite3_vfs::xSleep, int>;
  vfs.xCurrentTime = below<&sqlite3_vfs::xCurrentTime, double*>;
  vfs.xGetLastError = below<&sqlite3_vfs::xGetLastError, int, char*>;
  return vfs;
}

}  // namespace

FaultyVfs::FaultyVfs(Faults faults, std::function<void(Call)> on_strike)
    : state_(std::make_unique<State>(faults, std::move(on_strike))) {
  state_->vfs = made_of(*state_);
  MAKEGOOD_ASSERT(sqlite3_vfs_register(&state_->vfs, 1) == SQLITE_OK);
}

FaultyVfs::~FaultyVfs() { sqlite3_vfs_unregister(&state_->vfs); }

bool FaultyVfs::has_struck() const { return state_->has_struck(); }
void FaultyVfs::heal() { state_->heal(); }
void FaultyVfs::cut_power() { state_->cut_power(); }
void FaultyVfs::write_back() { state_->write_back(); }

}  // namespace makegood::crash
