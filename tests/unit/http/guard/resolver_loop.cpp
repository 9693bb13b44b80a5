#include "tests/unit/http/guard/resolver_loop.hpp"

#include <poll.h>

#include <algorithm>
#include <stdexcept>

namespace makegood::http {

ResolverLoop::ResolverLoop(const std::vector<std::string>& servers, const Clock& clock) {
  const auto watch = [this](int descriptor, bool read, bool write) {
    const int events = (read ? POLLIN : 0) | (write ? POLLOUT : 0);
    watched_[descriptor] = static_cast<short>(events);
    if (events == 0) watched_.erase(descriptor);
  };
  auto opened = Resolver::open(servers, watch, clock);
  if (!opened) throw std::runtime_error(opened.error().message);
  resolver_ = *std::move(opened);
}

ResolverLoop::Answered ResolverLoop::look_up(const std::string& host, Duration timeout) {
  std::optional<Answered> answered;
  resolver_->resolve(host, timeout, [&](const Answered& answer) { answered = answer; });
  if (!serve_until([&] { return answered.has_value(); })) return Error{Errc::internal, "The resolver never answered."};
  return *answered;
}

void ResolverLoop::serve_once() {
  constexpr Duration nap = std::chrono::milliseconds(20);  // A fake clock moves without waking anybody.
  std::vector<pollfd> polled;
  polled.reserve(watched_.size());
  for (const auto& [descriptor, events] : watched_) polled.push_back({descriptor, events, 0});
  const Duration wait = std::min(resolver_->next_timeout().value_or(nap), nap);
  ::poll(polled.data(), polled.size(), static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(wait).count()));
  for (const pollfd& one : polled) {
    if (one.revents == 0) continue;
    resolver_->ready(one.fd, (one.revents & (POLLIN | POLLERR | POLLHUP)) != 0, (one.revents & POLLOUT) != 0);
  }
  if (resolver_->next_timeout() == Duration::zero()) resolver_->timed_out();
}

}  // namespace makegood::http
