// The descriptors of one loop (epoll), and its doorbell (eventfd).
//
// libcurl stops watching a connection after every answer and watches it again for the next request. The poller does not
// tell the kernel about the pause: the descriptor `rests` as it was registered, and only if it stirs meanwhile it is
// taken out. That saves two system calls per request on a connection that is kept alive.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/descriptor.hpp"
#include "makegood/clock.hpp"
#include "makegood/result.hpp"

namespace makegood::net {

/// Whom the loop tells about a descriptor.
enum class Watcher : std::uint8_t { client, resolver };

struct Interest {
  bool read = false;
  bool write = false;
  bool operator==(const Interest&) const = default;
};

struct Ready {
  int descriptor = -1;
  Watcher watcher = Watcher::client;
  Interest interest = {};  ///< What is possible now; both after an error, so that whoever tries meets it.
};

class Poller {
 public:
  static Result<Poller> open();

  void watch(int descriptor, Watcher watcher, Interest interest);
  /// Nobody is interested for now.
  void rest(int descriptor);
  /// Nobody is interested any more; before it is closed.
  void forget(int descriptor);

  /// Wakes `wait` up, now or the next time. From any thread.
  void ring();
  /// What is ready, until the next call. Without a limit it waits until something is, or somebody rings.
  std::span<const Ready> wait(std::optional<Duration> limit);

 private:
  struct Watched {
    Watcher watcher = Watcher::client;
    Interest wanted = {};
    Interest registered = {};
  };

  Poller(Descriptor epoll, Descriptor doorbell);
  Watched& watched(int descriptor);
  void tell_kernel(int descriptor, Watched& watched, Interest interest);
  void note(const epoll_event& event);
  void silence_doorbell();

  static constexpr std::size_t events_max = 256;

  Descriptor epoll_;
  Descriptor doorbell_;
  std::vector<Watched> watched_;  ///< By descriptor: the kernel gives out the lowest free number.
  std::array<epoll_event, events_max> events_ = {};
  std::vector<Ready> ready_;
};

}  // namespace makegood::net
