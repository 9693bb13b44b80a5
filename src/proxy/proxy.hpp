// A reverse proxy that makes the requests of others safe to repeat. This is its whole face.
#pragma once

#include <memory>
#include <string>

#include "observe/log.hpp"
#include "proxy/options.hpp"

namespace makegood::proxy {

/// The store of the keys; `schema` is PostgreSQL's.
struct KeyPlace {
  std::string url;
  std::string schema = {};
};

class Proxy {
 public:
  /// Binds and listens, and opens the store, or says why not. `log` must outlive it.
  static Result<std::unique_ptr<Proxy>> open(const ProxyOptions& options, const KeyPlace& keys, observe::Log& log);
  virtual ~Proxy() = default;
  virtual void start() = 0;
  /// Takes nothing new; what is under way may end, up to `grace`. What is not done then is left to its lease.
  virtual void stop(Duration grace) = 0;
  /// `127.0.0.1:7780`, with the port that was really bound.
  virtual std::string address() const = 0;
  /// Empty: there is none.
  virtual std::string admin_address() const = 0;
  /// How long ago the thread that reads and writes last showed that it lives.
  virtual Duration silence() const = 0;
};

}  // namespace makegood::proxy
