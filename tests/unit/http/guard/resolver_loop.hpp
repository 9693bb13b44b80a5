// A resolver and the loop that serves it, as a client's thread would.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "makegood/clock.hpp"
#include "transports/http/net.hpp"
#include "transports/net/resolver.hpp"

namespace makegood::http {

class ResolverLoop {
 public:
  using Answered = Result<std::vector<Address>>;

  explicit ResolverLoop(const std::vector<std::string>& servers, const Clock& clock = system_clock());

  Resolver& resolver() { return *resolver_; }
  std::size_t watched() const { return watched_.size(); }

  /// Serves the resolver until it has nothing to do, or `is_enough` says so. False when that takes too long.
  template <class Enough>
  bool serve_until(Enough is_enough) {
    const MonotonicTime limit = system_clock().monotonic() + std::chrono::seconds(20);
    while (!is_enough()) {
      if (system_clock().monotonic() > limit) return false;
      serve_once();
    }
    return true;
  }

  /// The answer to one question, served until it is there.
  Answered look_up(const std::string& host, Duration timeout = std::chrono::seconds(10));

 private:
  void serve_once();

  std::map<int, short> watched_;
  std::unique_ptr<Resolver> resolver_;
};

}  // namespace makegood::http
