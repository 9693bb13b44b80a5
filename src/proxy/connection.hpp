// One connection of a client, from phase to phase: a request is read, judged, and handed to who carries it on.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>

#include "api/call.hpp"
#include "proxy/site.hpp"
#include "server/request_reader.hpp"

namespace makegood::proxy {

class Relay;

class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  /// `site` must outlive it. `is_admin`: of the address for health and metrics.
  Connection(Socket socket, Site& site, bool is_admin);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void begin();
  void check(MonotonicTime now);
  /// Nothing new begins: ends at once, or with the answer of the request under way.
  void wind_up();

  // For whoever carries the request on.

  bool is_last() const { return is_last_; }
  /// Chunks are for clients of HTTP/1.1 only.
  bool knows_chunks() const { return is_one_one_; }
  bool is_head() const { return is_head_; }
  /// The whole answer. Nothing happens when the client has gone.
  void answer(int status, std::string text);
  void answer_problem(const api::Answer& problem);
  /// A part of an answer; `then` is called when it is written, and never when the client has gone.
  void write_part(std::string text, std::function<void()> then);
  /// All parts are written. `is_cut`: the answer is not whole, which only a closed connection can tell.
  void end_parts(int status, bool is_cut);
  /// More of the request's body is wanted.
  void want_body();
  void close();

 private:
  enum class Phase { idle, header, body, waiting, relaying, writing, draining, closed };

  void enter(Phase phase, Duration time_max);
  void wait_readable();
  void on_readable();
  void take(std::string_view bytes);
  void take_body();
  void judge_head();
  std::optional<api::Answer> head_mistake() const;
  bool answer_admin(std::string_view path);
  void judge_route();
  void read_whole(const Route& route, std::string key);
  void exchange();
  void relay();
  void invite_body();
  RequestHead head() const;
  void refuse(Treatment as, const api::Answer& problem);
  void note_access(int status);

  void write(std::string text);
  void written();
  void end_relay();
  void next_request();
  void drain();

  // Constant after construction.
  Site& site_;
  const bool is_admin_;
  std::list<Connection*>::iterator place_;
  std::string peer_;

  Socket socket_;
  Phase phase_ = Phase::idle;
  MonotonicTime deadline_ = {};

  // Of the request that is being read or answered.
  std::optional<server::RequestReader> reader_;
  std::string unread_;  ///< Came already, and is not taken yet.
  std::string method_;
  std::string path_;
  MonotonicTime began_ = {};
  bool is_head_ = false;
  bool is_one_one_ = true;
  bool is_last_ = false;
  bool has_unread_ = false;  ///< The request was not read to its end.

  // With a key.
  const Route* route_ = nullptr;
  std::string key_;
  std::string body_;
  // Without one.
  std::shared_ptr<Relay> relay_;

  std::string out_;
  std::size_t out_done_ = 0;
  std::function<void()> then_;  ///< Of a part.
};

}  // namespace makegood::proxy
