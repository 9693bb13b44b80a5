// The service behind the proxy: connections to it, and one request on one of them. Nothing is ever sent twice.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "proxy/answer_reader.hpp"
#include "proxy/routes.hpp"
#include "proxy/upstream_address.hpp"
#include "server/beast.hpp"

namespace makegood::proxy {

namespace net = server::net;
using server::error_code;
using Tcp = net::ip::tcp;
using Socket = net::basic_stream_socket<Tcp, server::Executor>;

class UpstreamCall;

inline MonotonicTime now() { return system_clock().monotonic(); }

/// Used by the thread that reads and writes, and by no other.
class Upstream {
 public:
  struct Settings {
    UpstreamAddress address;
    Duration connect_timeout;
    Duration idle_timeout;
    std::size_t header_bytes_max;
  };
  Upstream(net::io_context& io, Settings settings) : io_(io), settings_(std::move(settings)) {}

  const Settings& settings() const { return settings_; }
  net::io_context& io() { return io_; }
  /// One that is idle and, as far as can be seen, still open; null: there is none.
  std::unique_ptr<Socket> take();
  /// `idle_max`: how long the upstream says that it keeps it.
  void give_back(std::unique_ptr<Socket> socket, std::optional<Duration> idle_max);
  /// Closes what has been idle for too long, and tells calls about their deadlines.
  void sweep(MonotonicTime now);
  void close_idle() { idle_.clear(); }

 private:
  friend class UpstreamCall;
  struct Idle {
    std::unique_ptr<Socket> socket;
    MonotonicTime until;
  };
  net::io_context& io_;
  const Settings settings_;
  std::deque<Idle> idle_;
  /// Shared with the calls, which may outlive it: they go with the last of their handlers.
  std::shared_ptr<std::list<UpstreamCall*>> calls_ = std::make_shared<std::list<UpstreamCall*>>();
};

/// Whom a call tells. `came` is answered with `resume` when more is wanted, unless it was the end.
class AnswerSink {
 public:
  struct Part {
    std::optional<AnswerHead> head = {};  ///< With the first one.
    std::string body = {};
    bool is_end = false;
  };
  virtual ~AnswerSink() = default;
  virtual void came(Part part) = 0;
  /// There is no answer, or no more of it.
  virtual void failed(Ending::Kind why) = 0;
};

class UpstreamCall final : public std::enable_shared_from_this<UpstreamCall> {
 public:
  struct Limits {
    std::optional<Duration> whole = {};  ///< From now on, to the whole answer.
    Duration silence = {};               ///< Without a byte, where the whole has no limit.
    bool is_head = false;                ///< The answer has no body.
  };
  UpstreamCall(Upstream& upstream, std::shared_ptr<AnswerSink> sink, const Limits& limits);
  ~UpstreamCall();
  UpstreamCall(const UpstreamCall&) = delete;
  UpstreamCall& operator=(const UpstreamCall&) = delete;

  using Then = std::function<void()>;
  /// The head, and what there is of the body. `then` is called when it is written; more may be written from then on.
  void begin(std::string text, bool is_whole, Then then = {});
  void write(std::string text, bool is_whole, Then then);
  void resume();
  /// From now on it may take its time, as long as it is not silent.
  void lift_limit();
  /// Nobody wants to hear any more.
  void cancel();
  void check(MonotonicTime now);

 private:
  void connect();
  void resolve();
  void connected();
  void talk();
  void write_rest();
  void written();
  void wait_readable();
  void on_readable();
  void take(std::string_view bytes);
  void hand_over();
  void end(Ending::Kind why);
  void finish();

  Upstream& upstream_;
  const std::shared_ptr<std::list<UpstreamCall*>> calls_;
  std::shared_ptr<AnswerSink> sink_;  ///< Null: it has ended.
  Limits limits_;
  std::list<UpstreamCall*>::iterator place_;

  std::unique_ptr<Socket> socket_;
  std::unique_ptr<net::ip::basic_resolver<Tcp, server::Executor>> resolver_;
  bool is_connecting_ = true;
  bool is_reused_ = false;
  MonotonicTime deadline_ = {};
  std::optional<MonotonicTime> whole_deadline_ = {};

  std::string out_;
  std::size_t out_done_ = 0;
  bool is_request_whole_ = false;
  bool is_written_ = false;
  bool has_left_ = false;  ///< A byte of the request may have reached the upstream.
  Then then_;

  std::optional<AnswerReader> reader_;
  bool is_head_told_ = false;
  std::string unread_;  ///< Came already, and is handed over when more is asked for.
};

}  // namespace makegood::proxy
