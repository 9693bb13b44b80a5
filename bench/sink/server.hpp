// An endpoint for measurements: it reads requests and answers them, at once, later or never, and does nothing else.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/sink/request.hpp"

namespace makegood::bench {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor();
  int number() const { return number_; }

 private:
  int number_;
};

/// One thread, HTTP/1.1 with keep-alive, one request of a connection at a time.
class Server {
 public:
  /// Listens on `addresses` loopback addresses, 127.0.0.1 upwards, on one port that is free on all of them. So one sink
  /// is as many hosts to its clients.
  explicit Server(std::size_t addresses);
  std::uint16_t port() const { return port_; }
  void serve_once();

 private:
  using Clock = std::chrono::steady_clock;
  struct Connection {
    Descriptor socket;
    std::uint64_t serial;  ///< Numbers of sockets are used again; these are not.
    std::string unread = {};
    bool is_answering = false;
  };
  struct Later {
    Clock::time_point due;
    int socket;
    std::uint64_t serial;
    bool operator>(const Later& other) const { return due > other.due; }
  };

  void listen_on(std::uint32_t address);
  void watch(int descriptor);
  void accept_all(int listener);
  void read(Connection& connection);
  void take(Connection& connection, std::string_view bytes);
  std::size_t begin_answer(Connection& connection, std::string_view bytes);
  void answer_due();
  void note(const SinkRequest& request);
  std::string arrivals();
  void drop(Connection& connection);

  Descriptor epoll_;
  std::vector<Descriptor> listeners_;
  std::uint16_t port_ = 0;
  std::uint64_t serial_ = 0;
  std::vector<std::unique_ptr<Connection>> connections_;  ///< By socket; empty places are listeners and others.
  std::priority_queue<Later, std::vector<Later>, std::greater<>> later_;
  std::string noted_;
  std::vector<char> buffer_ = std::vector<char>(std::size_t{64} << 10);
};

}  // namespace makegood::bench
