// One connection, from phase to phase; each has a deadline of its own that no byte extends.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/beast.hpp"
#include "server/event_hub.hpp"
#include "server/reply.hpp"
#include "server/request_head.hpp"
#include "server/request_reader.hpp"
#include "server/site.hpp"

namespace makegood::server {

/// Of a quiet stream.
inline constexpr Duration keep_alive_interval = std::chrono::seconds(15);

class Connection final : public Caller, public std::enable_shared_from_this<Connection> {
 public:
  /// `site` must outlive it. `user`: who is at the other end of a Unix socket; empty on any other.
  Connection(Socket socket, Site& site, std::string user = {});
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void begin();
  void answer(api::Answer answer) override;
  /// Acts on a deadline that is over.
  void check(MonotonicTime now);
  /// Nothing new begins: ends at once, or with the answer of the call under way.
  void wind_up();

 private:
  enum class Phase { idle, header, body, calling, writing, streaming, draining, closed };

  void enter(Phase phase, Duration time_max);
  void wait_readable();
  void on_readable();
  void take(std::string_view bytes);
  /// What is wrong with it; nothing: go on, or it is whole.
  std::optional<Refused> read_request(std::string_view bytes, std::size_t& taken);
  std::optional<Refused> judge_head();
  void invite_body();
  void connect_call();
  void refuse(Refused refused);

  void write(std::string text);
  void write_rest();
  void written();
  void next_request();
  void drain();
  void close();

  void begin_stream();
  void write_events();

  // Constant after construction.
  Site& site_;
  const std::string user_;
  std::list<Connection*>::iterator place_;

  Socket socket_;
  Phase phase_ = Phase::idle;
  MonotonicTime deadline_ = {};

  // Of the request that is being read or answered.
  std::optional<RequestReader> reader_;
  std::string unread_;  ///< Came already, and is not taken yet.
  RequestHead head_;
  MonotonicTime began_ = {};
  bool is_last_ = false;     ///< The connection ends with this answer …
  bool has_unread_ = false;  ///< … although the request was not read to its end.

  std::string out_;
  std::size_t out_done_ = 0;

  std::shared_ptr<Subscription> subscription_;  ///< Of a stream.
  bool is_writing_ = false;
};

}  // namespace makegood::server
