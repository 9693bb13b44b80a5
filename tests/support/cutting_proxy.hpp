// A TCP proxy on 127.0.0.1 between a client and its server. It loses connections exactly where the test says: after the
// n-th byte of either way, before certain bytes, now; it holds bytes back, and it refuses to be connected to.
#pragma once

#include <poll.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.hpp"

namespace makegood::testing_support {

enum class Way { to_server, to_client };

class CuttingProxy {
 public:
  /// Of a server on 127.0.0.1. It need not be there yet: whoever connects while it is away is hung up on.
  /// Port 0: whichever is free.
  explicit CuttingProxy(std::uint16_t server_port, std::uint16_t port = 0);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  std::uint16_t port() const { return port_; }

  /// When this many bytes more have gone this way, on whichever connections, all connections end, and not one byte
  /// later. Once: the connections after that are left in peace.
  void cut_after(Way way, std::uint64_t bytes);
  /// When these bytes would be the next to go this way, all connections end; they do not arrive. Once.
  void cut_before(Way way, std::string bytes);
  /// All connections end.
  void cut();
  /// Waits until what `cut_after` or `cut_before` had asked for has happened.
  bool await_cut(std::chrono::milliseconds limit = std::chrono::seconds(20));

  /// Nothing goes this way any more, as on a dead network. Connections stay, new ones too.
  void hold(Way way);
  /// When these bytes would be the next to go this way: they and what is behind them stay, on all connections.
  void hold_before(Way way, std::string bytes);
  /// What was held back goes on, and nothing is held back any more.
  void release();

  /// Nobody can connect any more; those who are connected stay.
  void refuse();
  /// They can again, at the same port.
  void welcome();

  /// Bytes that have gone this way, on all connections.
  std::uint64_t passed(Way way);
  /// Connections accepted so far.
  std::size_t accepted_count();
  bool await_accepted(std::size_t count, std::chrono::milliseconds limit = std::chrono::seconds(20));

 private:
  /// One way of one connection.
  struct Stream {
    std::string buffer = {};  ///< Received, not passed on yet.
    std::string tail = {};   ///< The last bytes that were passed on, as many as a cut before certain bytes has to know.
    bool has_ended = false;  ///< The sender has said all.
    bool is_told = false;    ///< And the receiver knows.
  };
  struct Connection {
    Descriptor client;
    Descriptor server;
    std::array<Stream, 2> streams;
    bool is_broken = false;
  };
  static constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();
  struct Plan {
    std::uint64_t bytes_left = unlimited;
    std::string before = {};
    bool is_held = false;
    bool holds_before = false;  ///< `before` is where it is held, not cut.
  };

  void listen();
  void wake();
  void run(const std::stop_token& stop);
  std::vector<pollfd> watched();
  void serve(const std::vector<pollfd>& watched);
  void accept();
  void receive(Connection& connection, Way way);
  void pass_on(Connection& connection, Way way);
  std::size_t allowed(const Stream& stream, const Plan& plan) const;
  void note(Stream& stream, Way way, std::size_t sent);
  void cut_all();

  // Constant after construction.
  const std::uint16_t server_port_;
  Descriptor doorbell_;
  std::uint16_t port_ = 0;

  // Guarded by mutex_, which the thread gives back only while it waits.
  std::mutex mutex_;
  std::condition_variable changed_;
  Descriptor listener_;
  std::list<Connection> connections_;
  std::array<Plan, 2> plans_;
  std::array<std::uint64_t, 2> passed_ = {};
  std::size_t accepted_count_ = 0;
  std::size_t open_plans_ = 0;

  std::jthread thread_;
};

}  // namespace makegood::testing_support
