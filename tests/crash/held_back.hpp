// A disk as a power loss finds it: what was written and not synced is held back in memory, and may get lost, arrive in
// any order, or arrive in part.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace makegood::crash {

/// A file as the process sees it; on the disk it is as it was synced last.
class HeldBackFile {
 public:
  explicit HeldBackFile(std::string path);
  ~HeldBackFile();
  HeldBackFile(const HeldBackFile&) = delete;
  HeldBackFile& operator=(const HeldBackFile&) = delete;

  const std::string& content() const { return content_; }
  void write(std::size_t offset, std::string_view bytes);
  void truncate(std::size_t size);
  void sync();
  /// Some of what was held back arrives.
  void lose_power(std::mt19937& random);

  /// Whether the folder knows of it, after a power loss.
  bool is_listed = true;

 private:
  struct Change {
    std::size_t offset;
    std::string bytes;  ///< None: the file ends at the offset.
    bool is_truncation;
  };
  static void apply(const Change& change, std::string& content);
  static void apply_torn(const Change& change, std::string& content, std::mt19937& random);
  void write_out(const std::string& content);

  const std::string path_;
  int descriptor_ = -1;  ///< Kept open: closing a file drops the locks that the process has on it.
  std::string on_disk_;
  std::string content_;
  std::vector<Change> held_back_;
};

using HeldBackFilePtr = std::shared_ptr<HeldBackFile>;

/// All files, and what the folder knows of them. The unix VFS syncs the folder with the first sync of a new journal or
/// log, and when it is asked to after a removal.
class HeldBackDisk {
 public:
  HeldBackFilePtr open(const std::string& path, bool is_new);
  /// Null when nobody has it open.
  HeldBackFilePtr find(const std::string& path) const;
  void sync(HeldBackFile& file, bool with_folder);
  void remove(const std::string& path, bool with_folder);
  /// Everything arrives, as it does in time when only the process dies.
  void write_back();
  void lose_power(std::mt19937& random);

 private:
  void sync_folder();
  std::map<std::string, HeldBackFilePtr> files_;
  std::map<std::string, std::string> removed_;  ///< What they held, if the removal is lost.
};

}  // namespace makegood::crash
