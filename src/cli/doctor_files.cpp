// The database file, and what lies beside it.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "cli/doctor.hpp"
#include "config/quantity.hpp"
#include "stores/sqlite/sqlite.hpp"

namespace makegood::cli {
namespace {

using enum Diagnosis::State;

constexpr std::uintmax_t room_min = std::uintmax_t{100} << 20;
constexpr std::uintmax_t room_warning = std::uintmax_t{1} << 30;
/// As in linux/magic.h: NFS, SMB, CIFS, SMB2, 9P, Ceph, FUSE (sshfs and the like).
constexpr std::array<unsigned, 7> remote_file_systems = {0x6969,     0x517B,     0xFF534D42, 0xFE534D42,
                                                         0x01021997, 0x00C36400, 0x65735546};

std::string folder_of(const std::string& file) {
  const std::string folder = std::filesystem::path(file).parent_path().string();
  return folder.empty() ? "." : folder;
}

class FileExamination {
 public:
  explicit FileExamination(std::string file) : file_(std::move(file)), folder_(folder_of(file_)) {}

  Diagnoses examine(const config::StoreConfig& store) {
    const std::vector<std::string>& outboxes = store.outboxes;
    if (!is_there()) return std::move(found_);
    access();
    for (const std::string& outbox : outboxes) lane_file(outbox);
    owners(outboxes);
    disk();
    write_lock();
    file_system();
    copy(store.environment);
    return std::move(found_);
  }

 private:
  void add(Diagnosis::State state, std::string check, std::string what, std::string mend = {}) {
    found_.push_back({state, std::move(check), std::move(what), std::move(mend)});
  }

  bool is_there() {
    if (::access(file_.c_str(), F_OK) == 0) return true;
    add(wrong, "file", fmt::format("{} is not there: {}.", file_, std::strerror(errno)),
        fmt::format("Name the right file with --store, or make it: makegood migrate --store sqlite:{}", file_));
    return false;
  }

  void access() {
    const bool is_file_writable = ::access(file_.c_str(), R_OK | W_OK) == 0;
    const bool is_folder_writable = ::access(folder_.c_str(), W_OK | X_OK) == 0;
    if (is_file_writable && is_folder_writable) return add(good, "permissions", file_ + " can be written.");
    const std::string& what = is_file_writable ? folder_ : file_;
    add(wrong, "permissions",
        fmt::format("{} cannot be written by this user; SQLite also needs -wal and -shm beside the file.", what),
        fmt::format("Run as the application's user, or let both write: chgrp and chmod g+w {} {}", folder_, file_));
  }

  void lane_file(const std::string& outbox) {
    const std::string lane = fmt::format("{}.{}.lane", file_, outbox);
    const bool is_made = ::access(lane.c_str(), F_OK) == 0;
    const std::string& checked = is_made ? lane : folder_;
    if (::access(checked.c_str(), R_OK | W_OK) == 0) return add(good, "lane file", lane + " can be locked.");
    add(wrong, "lane file", fmt::format("{} cannot be written, so this user cannot own the lane.", lane),
        fmt::format("Let every relay's user write it: chown, or chmod g+w {}", checked));
  }

  /// A command that ran as root leaves files behind that the daemon cannot write.
  void owners(const std::vector<std::string>& outboxes) {
    struct stat database = {};
    if (::stat(file_.c_str(), &database) != 0) return;
    std::vector<std::string> others = {file_ + "-wal", file_ + "-shm"};
    for (const std::string& outbox : outboxes) others.push_back(fmt::format("{}.{}.lane", file_, outbox));
    for (const std::string& other : others) {
      struct stat status = {};
      const bool is_writable_by_all = ::stat(other.c_str(), &status) == 0 && (status.st_mode & S_IWOTH) != 0;
      if (status.st_nlink == 0 || status.st_uid == database.st_uid || is_writable_by_all) continue;
      add(wrong, "owner", fmt::format("{} belongs to another user than the database.", other),
          fmt::format("chown --reference={} {}", file_, other));
    }
  }

  void disk() {
    std::error_code error;
    const auto space = std::filesystem::space(folder_, error);
    if (error) return;
    const std::string what = fmt::format("{} free where {} is.", config::format_bytes(space.available), file_);
    if (space.available >= room_warning) return add(good, "disk", what);
    add(space.available < room_min ? wrong : warning, "disk", what,
        "Make room; nothing is lost meanwhile: producers roll back, the relay goes on by itself. Do not delete -wal.");
  }

  /// What else can be wrong with writing is told as what it is.
  void write_lock() {
    const auto locked = sqlite::try_write_lock(file_);
    if (locked) return add(good, "write lock", "Nobody keeps it.");
    if (locked.error().code != Errc::store_unavailable) return;
    add(wrong, "write lock", fmt::format("Another connection keeps it: nobody else can write to {}.", file_),
        fmt::format("Find whose it is (fuser -v {}), and let its transaction end.", file_));
  }

  void file_system() {
    struct statfs system = {};
    if (::statfs(folder_.c_str(), &system) != 0) return;
    for (const unsigned remote : remote_file_systems) {
      if (static_cast<unsigned>(system.f_type) != remote) continue;
      add(wrong, "file system", "The database is on a network file system, where SQLite's locks cannot be trusted.",
          "Move it to a local disk.");
    }
  }

  void copy(const std::string& environment) {
    const auto report = sqlite::examine_origin(file_, environment);
    if (!report) return;  // Without tables there is nothing to be a copy of; that is told elsewhere.
    found_.push_back(diagnose_environment(environment));
    found_.push_back(diagnose_copy(*report, "copy", "--store sqlite:" + file_));
  }

  const std::string file_;
  const std::string folder_;
  Diagnoses found_;
};

}  // namespace

Diagnoses examine_files(const std::string& file, const config::StoreConfig& store) {
  return FileExamination(file).examine(store);
}

}  // namespace makegood::cli
