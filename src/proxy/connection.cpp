#include "proxy/connection.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/key_header.hpp"
#include "base/key_rules.hpp"
#include "proxy/keyed_exchange.hpp"
#include "proxy/refusals.hpp"
#include "proxy/relay.hpp"
#include "server/answer_text.hpp"

namespace makegood::proxy {
namespace {

constexpr std::string_view continue_line = "HTTP/1.1 100 Continue\r\n\r\n";
/// How long a refused client may go on sending: an answer is lost if the connection is reset while it does.
constexpr Duration drain_time = std::chrono::seconds(2);
constexpr std::size_t kept_capacity_max = 4096;
constexpr auto never_keyed = std::to_array<std::string_view>({"GET", "HEAD", "OPTIONS", "TRACE"});

api::Answer too_slow() { return api::problem(408, {Errc::timeout, "The request took too long to arrive."}); }
api::Answer bad(std::string_view sentence) { return api::problem(400, {Errc::invalid, std::string(sentence)}); }
api::Answer plain(int status, std::string text) {
  return {.status = status, .content_type = "text/plain; charset=utf-8", .body = std::move(text)};
}

std::string address_of(const Socket& socket) {
  error_code error;
  const auto peer = socket.remote_endpoint(error);
  return error ? std::string("unknown") : peer.address().to_string();
}

}  // namespace

Connection::Connection(Socket socket, Site& site, bool is_admin)
    : site_(site), is_admin_(is_admin), peer_(address_of(socket)), socket_(std::move(socket)) {
  place_ = site_.connections.insert(site_.connections.end(), this);
  site_.figures.connections(site_.connections.size());
}

Connection::~Connection() {
  close();
  site_.connections.erase(place_);
  site_.figures.connections(site_.connections.size());
  site_.tell_if_empty();
}

void Connection::begin() {
  error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(Tcp::no_delay(true), ignored);
  enter(Phase::idle, site_.options.idle_timeout);
  wait_readable();
}

void Connection::enter(Phase phase, Duration time_max) {
  phase_ = phase;
  deadline_ = now() + time_max;
}

void Connection::wait_readable() {
  socket_.async_wait(Socket::wait_read, [self = shared_from_this()](const error_code& error) {
    if (!error && self->phase_ != Phase::closed) self->on_readable();
  });
}

void Connection::on_readable() {
  error_code error;
  const std::size_t count = socket_.read_some(net::buffer(site_.buffer), error);
  if (error == net::error::would_block) return wait_readable();
  if (error) return close();
  if (phase_ == Phase::draining) return wait_readable();
  take({site_.buffer.data(), count});
}

void Connection::take(std::string_view bytes) {
  if (phase_ == Phase::idle) enter(Phase::header, site_.options.header_timeout);
  unread_ += bytes;
  if (!reader_) reader_.emplace(site_.options.header_bytes_max, std::numeric_limits<std::size_t>::max());
  unread_.erase(0, reader_->feed(unread_));
  if (reader_->mistake() && phase_ == Phase::relaying) return close();
  if (reader_->mistake()) return refuse(Treatment::not_http, *reader_->mistake());
  if (phase_ != Phase::header) return take_body();
  if (!reader_->is_header_done()) return wait_readable();
  judge_head();
}

void Connection::judge_head() {
  const std::string_view target = reader_->target();
  method_ = reader_->method();
  path_ = target.substr(0, target.find('?'));
  is_head_ = method_ == "HEAD";
  is_one_one_ = reader_->is_one_one();
  is_last_ = !reader_->keeps_alive() || !is_one_one_ || site_.is_stopping;
  began_ = now();
  if (auto mistake = head_mistake()) return refuse(Treatment::not_http, *mistake);
  if (answer_admin(path_)) return;
  judge_route();
}

std::optional<api::Answer> Connection::head_mistake() const {
  const bool is_of_server = method_ == "OPTIONS" && path_ == "*";
  if (!path_.starts_with('/') && !is_of_server) return bad("The target must begin with a slash.");
  const std::size_t hosts = reader_->count("Host");
  if (hosts > 1 || (hosts == 0 && is_one_one_)) return bad("A request has one Host header.");
  const std::string_view expected = reader_->header("Expect");
  if (expected.empty() || is_same_name(expected, "100-continue")) return {};
  return api::problem(417, {Errc::invalid, "Only `Expect: 100-continue` is understood."});
}

/// Health and metrics, if the request is for them.
bool Connection::answer_admin(std::string_view path) {
  const std::string& prefix = site_.options.admin_path;
  const bool is_below = !prefix.empty() && path.starts_with(prefix + "/");
  if (!is_admin_ && !is_below) return false;
  if (!is_admin_) path.remove_prefix(prefix.size());
  has_unread_ = !reader_->is_done();
  is_last_ = is_last_ || has_unread_;
  phase_ = Phase::waiting;
  if (path == "/healthz") {
    answer_problem(plain(200, "ok\n"));
  } else if (path == "/readyz") {
    const bool is_ready = site_.is_ready();
    answer_problem(plain(is_ready ? 200 : 503, is_ready ? "ok\n" : "The store cannot be reached.\n"));
  } else if (path == "/metrics") {
    answer_problem(plain(200, site_.figures.text() + site_.key_figures.text()));
  } else {
    answer_problem(api::problem(404, {Errc::not_found, "Here are /healthz, /readyz and /metrics."}));
  }
  return true;
}

void Connection::judge_route() {
  const bool may_have_key =
      std::ranges::find(never_keyed, method_) == never_keyed.end() && reader_->header("Upgrade").empty();
  route_ = may_have_key ? find_route(site_.options.routes, method_, path_) : nullptr;
  if (route_ == nullptr) return relay();
  const std::size_t keys = reader_->count("Idempotency-Key");
  if (keys == 0 && !route_->is_key_required) return relay();
  if (keys == 0) return refuse(Treatment::no_key, key_missing());
  std::string key = key_in_header(reader_->header("Idempotency-Key"));
  if (keys > 1 || !check_key({.key = key})) return refuse(Treatment::no_key, key_unreadable());
  read_whole(*route_, std::move(key));
}

void Connection::read_whole(const Route& route, std::string key) {
  if (reader_->content_length().value_or(0) > site_.options.body_bytes_max) {
    return refuse(Treatment::too_large, body_too_large(site_.options.body_bytes_max));
  }
  route_ = &route;
  key_ = std::move(key);
  enter(Phase::body, site_.options.body_timeout);
  unread_.erase(0, reader_->feed(unread_));
  if (reader_->mistake()) return refuse(Treatment::not_http, *reader_->mistake());
  invite_body();
  take_body();
}

/// A client who asked whether he may send the body waits for this word.
void Connection::invite_body() {
  if (reader_->header("Expect").empty() || reader_->is_done() || !is_one_one_) return;
  error_code ignored;
  socket_.write_some(net::buffer(continue_line), ignored);  // It goes into an empty buffer of the system.
}

void Connection::take_body() {
  std::string piece = reader_->take_body();
  if (phase_ == Phase::relaying) {
    if (piece.empty() && !reader_->is_done()) return wait_readable();
    deadline_ = MonotonicTime::max();  // Until more is wanted.
    return relay_->send(std::move(piece), reader_->is_done());
  }
  body_ += piece;
  if (body_.size() > site_.options.body_bytes_max) {
    return refuse(Treatment::too_large, body_too_large(site_.options.body_bytes_max));
  }
  reader_->is_done() ? exchange() : wait_readable();
}

RequestHead Connection::head() const {
  RequestHead head{.method = method_, .target = std::string(reader_->target()), .peer = peer_};
  reader_->each_header([&](std::string_view name, std::string_view value) {
    head.headers.emplace_back(std::string(name), std::string(value));
  });
  return head;
}

void Connection::exchange() {
  phase_ = Phase::waiting;
  deadline_ = MonotonicTime::max();
  KeyedRequest request{
      .route = *route_, .key = std::move(key_), .head = head(), .body = std::exchange(body_, {}), .began = began_};
  reader_.reset();
  std::make_shared<KeyedExchange>(site_, shared_from_this(), std::move(request))->begin();
}

void Connection::relay() {
  site_.figures.treated(Treatment::passed);
  phase_ = Phase::relaying;
  deadline_ = MonotonicTime::max();
  unread_.erase(0, reader_->feed(unread_));
  if (reader_->mistake()) return refuse(Treatment::not_http, *reader_->mistake());
  invite_body();
  Framing framing;
  if (reader_->is_chunked()) framing = {Framing::Kind::chunks};
  if (const auto length = reader_->content_length()) framing = {Framing::Kind::length, *length};
  relay_ = std::make_shared<Relay>(site_, shared_from_this());
  relay_->begin(head(), framing, reader_->take_body(), reader_->is_done());
}

void Connection::want_body() {
  if (phase_ != Phase::relaying || !reader_ || reader_->is_done()) return;
  deadline_ = now() + site_.options.idle_timeout;
  unread_.empty() ? wait_readable() : take({});
}

/// Answers before all of the request has come. The rest of it cannot be told from the next one, so the connection ends.
void Connection::refuse(Treatment as, const api::Answer& problem) {
  site_.figures.treated(as);
  has_unread_ = !reader_ || !reader_->is_done() || reader_->mistake();
  is_last_ = is_last_ || has_unread_;
  phase_ = Phase::waiting;
  if (began_ == MonotonicTime()) began_ = now();
  answer_problem(problem);
}

void Connection::answer_problem(const api::Answer& problem) {
  Headers headers = {{"Content-Type", problem.content_type}, {"Date", site_.date}, {"Cache-Control", "no-store"}};
  headers.insert(headers.end(), problem.headers.begin(), problem.headers.end());
  if (phase_ == Phase::relaying) has_unread_ = !reader_->is_done();
  is_last_ = is_last_ || has_unread_;
  std::string text = answer_text(problem.status, server::reason_of(problem.status), headers,
                                 {{Framing::Kind::length, problem.body.size()}, is_last_});
  if (!is_head_) text += problem.body;
  answer(problem.status, std::move(text));
}

void Connection::answer(int status, std::string text) {
  if (phase_ != Phase::waiting && phase_ != Phase::relaying) return;  // Closed meanwhile.
  note_access(status);
  enter(Phase::writing, site_.options.body_timeout);
  write(std::move(text));
}

void Connection::note_access(int status) {
  const bool is_ours = is_admin_ || !site_.options.has_access_log;
  if (is_ours) return;
  const double ms = std::chrono::duration<double, std::milli>(now() - began_).count();
  site_.log.write(
      LogLevel::info, "request",
      {{"method", std::string_view(method_)}, {"path", std::string_view(path_)}, {"status", status}, {"ms", ms}});
}

void Connection::write_part(std::string text, std::function<void()> then) {
  if (phase_ != Phase::waiting && phase_ != Phase::relaying) return;
  then_ = std::move(then);
  if (reader_ && !reader_->is_done()) {
    // The rest of the request is still being read under a deadline of its own.
  } else {
    deadline_ = now() + site_.options.idle_timeout;
  }
  write(std::move(text));
}

void Connection::end_parts(int status, bool is_cut) {
  if (phase_ != Phase::waiting && phase_ != Phase::relaying) return;
  note_access(status);
  has_unread_ = reader_ && !reader_->is_done();
  is_last_ = is_last_ || has_unread_;
  if (is_cut) return close();
  enter(Phase::writing, site_.options.body_timeout);
  written();
}

/// Most answers fit into the system's buffer, and then nobody has to wait.
void Connection::write(std::string text) {
  out_ = std::move(text);
  error_code error;
  out_done_ = socket_.write_some(net::buffer(out_), error);
  if (error && error != net::error::would_block) return close();
  if (out_done_ == out_.size()) return written();
  net::async_write(socket_, net::buffer(out_.data() + out_done_, out_.size() - out_done_),
                   [self = shared_from_this()](const error_code& failure, std::size_t) {
                     if (self->phase_ == Phase::closed) return;
                     failure ? self->close() : self->written();
                   });
}

void Connection::written() {
  if (out_.capacity() > kept_capacity_max) out_ = {};
  if (phase_ == Phase::waiting || phase_ == Phase::relaying) {
    if (const auto then = std::exchange(then_, {})) then();
    return;
  }
  const auto self = shared_from_this();
  end_relay();
  if (is_last_) return has_unread_ ? drain() : close();
  next_request();
}

/// It holds this connection, perhaps as the last one: whoever calls it must hold it as well.
void Connection::end_relay() {
  if (const auto relay = std::exchange(relay_, nullptr)) relay->cancel();
}

void Connection::next_request() {
  reader_.reset();
  method_.clear();
  path_.clear();
  body_.clear();
  route_ = nullptr;
  has_unread_ = false;
  is_head_ = false;
  began_ = {};
  enter(Phase::idle, site_.options.idle_timeout);
  if (unread_.empty()) {
    if (unread_.capacity() > kept_capacity_max) unread_ = {};
    return wait_readable();
  }
  // Requests that were sent in one go are answered one by one, and others have their turn in between.
  net::post(socket_.get_executor(), [self = shared_from_this()] {
    if (self->phase_ == Phase::idle && !self->unread_.empty()) self->take({});
  });
}

void Connection::drain() {
  error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  socket_.cancel(ignored);  // Somebody may be waiting already: a request that was too slow.
  enter(Phase::draining, drain_time);
  wait_readable();
}

/// A request without a key ends with its client. One with a key does not: only its answer is not heard.
void Connection::close() {
  if (phase_ == Phase::closed) return;
  const auto self = weak_from_this().lock();  // Null at its very end, when no relay holds it any more.
  phase_ = Phase::closed;
  then_ = {};
  end_relay();
  error_code ignored;
  socket_.close(ignored);
}

void Connection::check(MonotonicTime now) {
  if (now < deadline_) return;
  switch (phase_) {
    case Phase::header:
    case Phase::body:
      return refuse(Treatment::not_http, too_slow());
    case Phase::idle:
    case Phase::waiting:
    case Phase::relaying:
    case Phase::writing:
    case Phase::draining:
      return close();
    case Phase::closed:
      return;
  }
}

void Connection::wind_up() {
  switch (phase_) {
    case Phase::idle:
    case Phase::header:
    case Phase::draining:
      return close();
    case Phase::body:
    case Phase::waiting:
    case Phase::relaying:
    case Phase::writing:
      is_last_ = true;
      return;
    case Phase::closed:
      return;
  }
}

}  // namespace makegood::proxy
