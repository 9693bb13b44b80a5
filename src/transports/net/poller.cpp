#include "transports/net/poller.hpp"

#include <sys/eventfd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>
#include <utility>

#include "makegood/spi/assert.hpp"

namespace makegood::net {
namespace {

constexpr Interest nothing = {};

std::uint32_t epoll_events(Interest interest) {
  std::uint32_t events = 0;
  if (interest.read) events |= EPOLLIN;
  if (interest.write) events |= EPOLLOUT;
  return events;
}

/// Rounded up: a wait that ends too early is repeated, over and over, until the moment has come.
int poll_milliseconds(std::optional<Duration> limit) {
  if (!limit) return -1;
  const auto milliseconds = std::chrono::ceil<std::chrono::milliseconds>(std::max(*limit, Duration::zero()));
  return static_cast<int>(std::min<std::int64_t>(milliseconds.count(), std::numeric_limits<int>::max()));
}

Error system_error_of(const char* what) {
  return {Errc::unavailable, std::string(what) + ": " + std::generic_category().message(errno) + '.'};
}

}  // namespace

Result<Poller> Poller::open() {
  Descriptor epoll(epoll_create1(EPOLL_CLOEXEC));
  if (!epoll) return system_error_of("epoll_create1");
  Descriptor doorbell(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!doorbell) return system_error_of("eventfd");
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.fd = doorbell.number();
  if (epoll_ctl(epoll.number(), EPOLL_CTL_ADD, doorbell.number(), &event) != 0) return system_error_of("epoll_ctl");
  return Poller(std::move(epoll), std::move(doorbell));
}

Poller::Poller(Descriptor epoll, Descriptor doorbell) : epoll_(std::move(epoll)), doorbell_(std::move(doorbell)) {}

void Poller::watch(int descriptor, Watcher watcher, Interest interest) {
  Watched& entry = watched(descriptor);
  entry.watcher = watcher;
  entry.wanted = interest;
  if (entry.registered != interest) tell_kernel(descriptor, entry, interest);
}

void Poller::rest(int descriptor) { watched(descriptor).wanted = nothing; }

void Poller::forget(int descriptor) {
  Watched& entry = watched(descriptor);
  if (entry.registered != nothing) tell_kernel(descriptor, entry, nothing);
  entry.wanted = nothing;
}

Poller::Watched& Poller::watched(int descriptor) {
  MAKEGOOD_ASSERT(descriptor >= 0);
  const auto index = static_cast<std::size_t>(descriptor);
  if (index >= watched_.size()) watched_.resize(index + 1);
  return watched_[index];
}

void Poller::tell_kernel(int descriptor, Watched& watched, Interest interest) {
  epoll_event event = {};
  event.events = epoll_events(interest);
  event.data.fd = descriptor;
  int change = EPOLL_CTL_MOD;
  if (interest == nothing) change = EPOLL_CTL_DEL;
  if (watched.registered == nothing) change = EPOLL_CTL_ADD;
  // Refused only when the kernel has no memory left; the transfer then ends at its deadline.
  epoll_ctl(epoll_.number(), change, descriptor, &event);
  watched.registered = interest;
}

void Poller::ring() {
  const std::uint64_t one = 1;
  // Fails only when the counter is full, and then it has been rung.
  [[maybe_unused]] const auto written = ::write(doorbell_.number(), &one, sizeof one);
}

std::span<const Ready> Poller::wait(std::optional<Duration> limit) {
  const int count = epoll_wait(epoll_.number(), events_.data(), events_max, poll_milliseconds(limit));
  ready_.clear();
  for (int i = 0; i < count; ++i) note(events_.at(static_cast<std::size_t>(i)));
  return ready_;
}

void Poller::note(const epoll_event& event) {
  const int descriptor = event.data.fd;
  if (descriptor == doorbell_.number()) return silence_doorbell();
  const Watched& entry = watched(descriptor);
  if (entry.wanted == nothing) return forget(descriptor);
  const bool has_failed = (event.events & (EPOLLERR | EPOLLHUP)) != 0;
  ready_.push_back({.descriptor = descriptor,
                    .watcher = entry.watcher,
                    .interest = {.read = has_failed || (event.events & EPOLLIN) != 0,
                                 .write = has_failed || (event.events & EPOLLOUT) != 0}});
}

void Poller::silence_doorbell() {
  std::uint64_t rung = 0;
  [[maybe_unused]] const auto read = ::read(doorbell_.number(), &rung, sizeof rung);
}

}  // namespace makegood::net
