// The one copy of the data, behind one mutex.
#pragma once

#include <cstdint>
#include <mutex>

#include "stores/memory/state.hpp"

namespace makegood::memory {

class Database {
 public:
  explicit Database(Ids& ids) { state_.ids = &ids; }

  /// The data, locked for as long as this object lives: what happens under one access is one transaction.
  class Access {
   public:
    explicit Access(Database& database) : lock_(database.mutex_), database_(database) {}
    State& state() { return database_.state_; }
    std::uint64_t changes() const { return database_.changes_; }
    /// Something was committed; connections that ask `has_changed` are told.
    void changed() { ++database_.changes_; }

   private:
    std::scoped_lock<std::mutex> lock_;
    Database& database_;
  };

  Access access() { return Access(*this); }

  /// What would be there after a crash at this moment: everything committed, nothing of transactions that are open.
  State snapshot() const;
  /// Goes back to `state`. Transactions that were open are gone; their commit is refused.
  void restore(State state);

 private:
  mutable std::mutex mutex_;
  // Guarded by mutex_.
  State state_;
  std::uint64_t changes_ = 0;  // Never goes back, not even by `restore`.
};

}  // namespace makegood::memory
