// Notices that a configuration should be read again: SIGHUP, or a change of the file.
#pragma once

#include <optional>
#include <string>

#include "base/descriptor.hpp"
#include "makegood/clock.hpp"
#include "makegood/result.hpp"

namespace makegood::config {

/// Which file a path leads to at this moment, and in which state; symbolic links are followed.
struct FileState {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t changed_ns = 0;
  bool operator==(const FileState&) const = default;
};

enum class Trigger { signal, file };

/// The folder is watched, not the file: editors put a new file in its place, and Kubernetes swaps a symbolic link
/// beside it.
class Watch {
 public:
  /// SIGHUP is blocked in this thread and in those that it starts from now on, so call this before the first of them.
  /// Without a file only the signal is noticed.
  static Result<Watch> open(const std::optional<std::string>& file);

  /// Readable when `poll` may have something to tell.
  int descriptor() const { return events_.number(); }
  /// What has happened since the last call, if anything; never waits.
  std::optional<Trigger> poll();
  /// Waits for something to happen, at most `timeout`.
  std::optional<Trigger> wait(Duration timeout);

 private:
  Watch() = default;
  Result<> watch_signal();
  Result<> watch_folder();
  bool take_signals();
  bool take_file_events();
  bool is_meant(std::uint32_t mask, const std::string& name) const;

  std::string file_;  // The whole path; empty: no file.
  std::string folder_;
  std::string name_;  // Within the folder.
  std::optional<FileState> state_;
  Descriptor events_;
  Descriptor signals_;
  Descriptor folder_events_;
};

}  // namespace makegood::config
