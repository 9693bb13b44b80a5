// The HTTP server: sockets, limits, tokens, streams; what a call means is the API's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/api.hpp"
#include "makegood/clock.hpp"
#include "makegood/observe.hpp"
#include "makegood/result.hpp"

namespace makegood::server {

struct Token {
  std::string secret;
  api::Role role = api::Role::viewer;
  std::string name = {};  ///< Of the operator; kept with requests.
};

/// The limits are those of a server on the open net: a slow or greedy client loses its own connection and nothing else.
struct ServerOptions {
  std::string listen = "127.0.0.1:7700";
  std::vector<Token> tokens = {};
  bool is_open_on_loopback = false;  ///< Without tokens, on loopback, everybody on the machine may.
  std::size_t workers = 2;           ///< Threads that answer calls; each has its own connections to the store.
  std::size_t calls_max = 1024;      ///< That wait for a worker; one more is told to come back later.
  std::size_t connections_max = 8192;
  std::size_t header_bytes_max = std::size_t{16} << 10;
  std::size_t body_bytes_max = std::size_t{8} << 20;
  Duration header_timeout = std::chrono::seconds(10);  ///< For all of it: a byte now and then does not extend it.
  Duration body_timeout = std::chrono::seconds(30);    ///< Likewise, of a request and of an answer.
  Duration idle_timeout = std::chrono::seconds(30);
  std::size_t streams_max = 256;                   ///< Of server-sent events.
  std::string metrics_path = "/debug/prometheus";  ///< Beside /metrics; empty: neither is served.
};

/// One call that was answered. Never a body, a query or a token.
struct Access {
  std::string_view method;
  std::string_view path;
  int status = 0;
  Duration duration = {};
  std::string_view request_id;
};

/// What the server asks of its process, and tells it. Used from several threads; must not wait for anything.
struct Process {
  std::function<std::string()> metrics_text = {};
  /// Empty: ready. Otherwise one sentence for each thing that is not.
  std::function<std::vector<std::string>()> not_ready = {};
  /// There are new messages in this outbox.
  std::function<void(std::string_view outbox)> enqueued = {};
  std::function<void(const Access&)> accessed = {};
};

class Server {
 public:
  /// Binds and listens, or says why not. `api_context` must outlive it.
  static Result<std::unique_ptr<Server>> open(ServerOptions options, const api::ApiContext& api_context,
                                              Process process);
  virtual ~Server() = default;
  /// Before the start: listens on a Unix socket of mode 0600, too. Whoever comes that way is an operator, and the
  /// system tells who it is.
  virtual Result<> open_socket(const std::string& path) = 0;
  /// Before the start: whoever has this secret is an operator; only on loopback.
  virtual void admit(std::string secret) = 0;
  virtual void start() = 0;
  /// Takes no new calls; those under way may end, up to `grace`. Streams end at once.
  virtual void stop(Duration grace) = 0;
  /// `127.0.0.1:7700`, with the port that was really bound.
  virtual std::string address() const = 0;
  /// Tells the streams what happens; hand it to the dispatchers, beside the telemetry's.
  virtual Observer& observer() = 0;
  /// Likewise; from any thread.
  virtual void tell(const api::KeyNews& news) = 0;
  /// How long ago the thread that reads and writes last showed that it lives; about half a second at most.
  virtual Duration silence() const = 0;
};

}  // namespace makegood::server
