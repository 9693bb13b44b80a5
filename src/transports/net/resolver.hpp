// Names to addresses, asynchronously, on the client's own loop (c-ares). One thread at a time per object.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/result.hpp"
#include "transports/net/address.hpp"

namespace makegood::net {

class Resolver {
 public:
  /// The loop is asked to watch a descriptor; neither read nor write: no more.
  using Watch = std::function<void(int descriptor, bool read, bool write)>;
  /// At least one address, or Errc::unavailable with what went wrong.
  using Answer = std::function<void(const Result<std::vector<Address>>&)>;

  /// `servers` as in HttpOptions::dns_servers: names are then taken as they are. Without any, the system's servers and
  /// its search list are used. The hosts file counts in both cases.
  static Result<std::unique_ptr<Resolver>> open(const std::vector<std::string>& servers, Watch watch,
                                                const Clock& clock);
  virtual ~Resolver() = default;

  /// Answers are kept for their time to live, within a second and a minute; questions about one name are asked once.
  /// `answer` may be called at once, and may ask again.
  virtual void resolve(const std::string& host, Duration timeout, Answer answer) = 0;
  /// A watched descriptor is ready.
  virtual void ready(int descriptor, bool read, bool write) = 0;
  /// When `timed_out` has to be called, if nothing else happens.
  virtual std::optional<Duration> next_timeout() const = 0;
  virtual void timed_out() = 0;
  /// Answers nobody any more. Every watch is ended, here or when it is destroyed. An answer may call it.
  virtual void stop() = 0;
};

}  // namespace makegood::net
