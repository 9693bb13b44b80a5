// A small HTTP/1.1 server on 127.0.0.1 for tests of the client: one thread, any number of connections, answers byte for
// byte what the test says.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace makegood::testing_support {

struct HttpRequest {
  std::string path;
  std::map<std::string, std::string> headers;  ///< Names in lower case.
  std::string body;
};

struct HttpReply {
  std::string bytes = "HTTP/1.1 204 No Content\r\n\r\n";
  bool closes = false;       ///< The connection, after the bytes.
  bool hangs = false;        ///< Until release(); then the bytes are sent.
  std::string first = {};    ///< Sent at once, even if the rest hangs.
  std::string endless = {};  ///< Sent after the bytes, again and again.
};
inline HttpReply reply(int status, const std::string& headers = {}) {
  return {.bytes = "HTTP/1.1 " + std::to_string(status) + " Whatever\r\n" + headers + "Content-Length: 0\r\n\r\n"};
}
inline HttpReply hang() { return {.hangs = true}; }
inline HttpReply hang_up() { return {.bytes = {}, .closes = true}; }

class LoopbackServer {
 public:
  using Answer = std::function<HttpReply(const HttpRequest&)>;
  /// `answer` is called on the server's thread.
  explicit LoopbackServer(Answer answer);
  ~LoopbackServer();
  LoopbackServer(const LoopbackServer&) = delete;
  LoopbackServer& operator=(const LoopbackServer&) = delete;

  std::uint16_t port() const { return port_; }
  std::string url(const std::string& path = "/") const;

  /// Connections accepted so far.
  std::size_t accepted_count();
  std::size_t received_count();
  std::vector<HttpRequest> received();
  bool await_received(std::size_t count, std::chrono::milliseconds limit = std::chrono::seconds(20));
  /// Waits until every connection has been closed by the other side.
  bool await_all_closed(std::chrono::milliseconds limit = std::chrono::seconds(20));
  /// Whatever hangs goes on, now and from now on. Returns when it has.
  void release();
  void close_all();

 private:
  struct Connection;

  void run(const std::stop_token& stop);
  void accept();
  void read(Connection& connection);
  bool take_request(Connection& connection);
  void answer(Connection& connection, const HttpRequest& request);
  void write(Connection& connection);
  void close(int descriptor);
  void obey();
  void wake();

  // Constant after construction.
  const Answer answer_;
  int listener_ = -1;
  int epoll_ = -1;
  int doorbell_ = -1;
  std::uint16_t port_ = 0;

  // Of the thread.
  std::map<int, std::unique_ptr<Connection>> connections_;

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<HttpRequest> received_;
  std::size_t accepted_count_ = 0;
  std::size_t open_count_ = 0;
  bool is_released_ = false;
  bool wants_release_ = false;
  bool wants_close_ = false;

  std::jthread thread_;
};

}  // namespace makegood::testing_support
