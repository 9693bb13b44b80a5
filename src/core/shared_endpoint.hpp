// The endpoints of a process, and who calls them: lanes of several outboxes and shards of sagas share what is known of
// a destination that is the same for all of them. What must not happen at the same time is behind a lock that the
// caller's caller brings; without one, all of it is for one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/endpoint.hpp"

namespace makegood::core {

class Lock {
 public:
  virtual ~Lock() = default;
  virtual void lock() = 0;
  virtual void unlock() = 0;
};

/// How a caller hears of what others have done to an endpoint. Called under the endpoint's lock, by the thread of
/// another caller: it only leaves a sign.
class Waker {
 public:
  virtual ~Waker() = default;
  /// A place that it waits for is free.
  virtual void place_freed() = 0;
  /// A circuit has opened or closed, or a probe has ended.
  virtual void circuit_changed() = 0;
};

/// What an endpoint knows of one who calls it.
struct Caller {
  Waker* waker = nullptr;
  std::size_t in_flight = 0;
  bool has_called = false;          ///< Since it last forgot everything.
  bool waits = false;               ///< It is to be told when a place is free.
  MonotonicTime wishes_until = {};  ///< It has something to send and found no place.
  std::uint64_t served = 0;         ///< The turn of the last place that it was given.
};

struct SharedEndpoint {
  SharedEndpoint(Endpoint first, DestinationPtr of, std::unique_ptr<Lock> with)
      : lock(std::move(with)), settings(std::move(of)), endpoint(std::move(first)) {}

  // Constant after construction, if anybody shares it.
  const std::unique_ptr<Lock> lock;  ///< Null: for one thread.
  DestinationPtr settings;

  // Guarded by the lock.
  Endpoint endpoint;
  std::vector<Caller*> callers = {};
  const Caller* prober = nullptr;  ///< Whose probe is under way, if one is.
  std::uint64_t served = 0;
  MonotonicTime seen_at = {};  ///< The latest time that anybody brought.
};

/// Thread-safe if it is given locks.
class Endpoints {
 public:
  using NewLock = std::unique_ptr<Lock> (*)();
  explicit Endpoints(NewLock new_lock = nullptr);

  /// The one for exactly these settings, which others may have by now; otherwise a new one, which begins with what
  /// `known` is.
  std::shared_ptr<SharedEndpoint> at(const DestinationPtr& settings, Endpoint known);

 private:
  // Constant after construction.
  const NewLock new_lock_;
  const std::unique_ptr<Lock> lock_;
  // Guarded by the lock.
  std::multimap<std::string, std::weak_ptr<SharedEndpoint>, std::less<>> known_;
};

/// With whom a caller shares its endpoints; without `endpoints` with nobody.
struct Sharing {
  Endpoints* endpoints = nullptr;
  Waker* waker = nullptr;
};

}  // namespace makegood::core
