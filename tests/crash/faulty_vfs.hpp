// SQLite's operating system, with faults. Wraps the default VFS and is the default itself as long as it lives.
//
// It never syncs for real: a process that dies leaves what it wrote to the kernel, and a power loss is made here (see
// held_back.hpp). What SQLite keeps in shared memory is not held back: it is made anew by whoever opens the file first.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

namespace makegood::crash {

enum class Call { open, read, write, truncate, sync, size, lock, remove, access, share, share_lock };
std::string_view to_string(Call call);

struct Faults {
  enum class Kind {
    none,
    fail_once,      ///< One call fails; a write may have been done in part.
    fail_for_good,  ///< That call and all later ones fail. What was not synced is held back.
    power_loss,     ///< The process ends at that call, and what was not synced gets lost in part.
  };
  Kind kind = Kind::none;
  unsigned at_call = 0;           ///< The how-manieth; of a power loss only calls that change something count.
  unsigned seed = 0;              ///< What a power loss takes.
  std::optional<Call> only = {};  ///< Other calls neither count nor fail.
};

class FaultyVfs {
 public:
  /// `on_strike` is told once, when the fault begins.
  FaultyVfs(Faults faults, std::function<void(Call)> on_strike);
  ~FaultyVfs();
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;

  bool has_struck() const;
  /// From now on nothing fails.
  void heal();
  /// The process ends here.
  [[noreturn]] void cut_power();
  /// Everything that was held back arrives.
  void write_back();

  class State;

 private:
  std::unique_ptr<State> state_;
};

}  // namespace makegood::crash
