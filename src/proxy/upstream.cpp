#include "proxy/upstream.hpp"

#include <sys/socket.h>

#include <boost/asio/connect.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace makegood::proxy {
namespace {

constexpr std::size_t idle_max = 1024;
constexpr std::size_t read_bytes = std::size_t{64} << 10;

/// An idle connection has nothing to say: what is readable is its end, or bytes of no request of ours.
bool is_silent(Socket& socket) {
  char byte = 0;
  const auto count = ::recv(socket.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

/// One for all calls: what is read is taken in before the next socket is looked at.
std::array<char, read_bytes>& read_buffer() {
  thread_local std::array<char, read_bytes> buffer;
  return buffer;
}

}  // namespace

std::unique_ptr<Socket> Upstream::take() {
  while (!idle_.empty()) {
    // The youngest: it is the least likely to be closed at this moment.
    Idle idle = std::move(idle_.back());
    idle_.pop_back();
    if (idle.until > now() && is_silent(*idle.socket)) return std::move(idle.socket);
  }
  return nullptr;
}

void Upstream::give_back(std::unique_ptr<Socket> socket, std::optional<Duration> kept_for) {
  // A second less than the other side says: a request must not cross its end.
  constexpr Duration margin = std::chrono::seconds(1);
  const Duration time = std::min(settings_.idle_timeout, kept_for ? *kept_for - margin : settings_.idle_timeout);
  if (time <= Duration::zero() || idle_.size() >= idle_max) return;
  idle_.push_back({std::move(socket), now() + time});
}

void Upstream::sweep(MonotonicTime now) {
  std::erase_if(idle_, [&](const Idle& idle) { return idle.until <= now; });
  for (auto place = calls_->begin(); place != calls_->end();) {
    const auto call = (*place++)->shared_from_this();  // It may go away, itself and no other.
    call->check(now);
  }
}

UpstreamCall::UpstreamCall(Upstream& upstream, std::shared_ptr<AnswerSink> sink, const Limits& limits)
    : upstream_(upstream), calls_(upstream.calls_), sink_(std::move(sink)), limits_(limits) {
  place_ = calls_->insert(calls_->end(), this);
}

UpstreamCall::~UpstreamCall() { calls_->erase(place_); }

void UpstreamCall::begin(std::string text, bool is_whole, Then then) {
  out_ = std::move(text);
  is_request_whole_ = is_whole;
  then_ = std::move(then);
  if (limits_.whole) whole_deadline_ = now() + *limits_.whole;
  socket_ = upstream_.take();
  is_reused_ = socket_ != nullptr;
  is_reused_ ? talk() : connect();
}

void UpstreamCall::connect() {
  is_connecting_ = true;
  deadline_ = now() + upstream_.settings().connect_timeout;
  socket_ = std::make_unique<Socket>(upstream_.io());
  const UpstreamAddress& address = upstream_.settings().address;
  error_code error;
  const auto number = net::ip::make_address(address.host, error);
  if (error) return resolve();
  const Tcp::endpoint endpoint(number, static_cast<std::uint16_t>(std::stoi(address.port)));
  socket_->async_connect(endpoint, [self = shared_from_this()](const error_code& failure) {
    if (!self->sink_) return;
    failure ? self->end(Ending::Kind::never_left) : self->connected();
  });
}

void UpstreamCall::resolve() {
  const UpstreamAddress& address = upstream_.settings().address;
  resolver_ = std::make_unique<net::ip::basic_resolver<Tcp, server::Executor>>(upstream_.io());
  resolver_->async_resolve(
      address.host, address.port, [self = shared_from_this()](const error_code& error, auto found) {
        if (!self->sink_) return;
        if (error) return self->end(Ending::Kind::never_left);
        net::async_connect(*self->socket_, found, [self](const error_code& failure, const Tcp::endpoint&) {
          if (!self->sink_) return;
          failure ? self->end(Ending::Kind::never_left) : self->connected();
        });
      });
}

void UpstreamCall::connected() {
  error_code ignored;
  socket_->set_option(Tcp::no_delay(true), ignored);
  talk();
}

void UpstreamCall::talk() {
  is_connecting_ = false;
  error_code error;
  socket_->non_blocking(true, error);
  deadline_ = whole_deadline_.value_or(now() + limits_.silence);
  out_done_ = socket_->write_some(net::buffer(out_), error);
  const bool is_broken = error && error != net::error::would_block;
  if (is_broken && out_done_ == 0) {
    // Not a byte has left; only a connection that somebody has closed meanwhile is replaced.
    return is_reused_ ? (is_reused_ = false, connect()) : end(Ending::Kind::never_left);
  }
  has_left_ = true;
  wait_readable();
  write_rest();
}

void UpstreamCall::write(std::string text, bool is_whole, Then then) {
  if (!sink_ || is_connecting_) return;
  out_ = std::move(text);
  out_done_ = 0;
  is_request_whole_ = is_whole;
  then_ = std::move(then);
  write_rest();
}

void UpstreamCall::write_rest() {
  if (out_done_ == out_.size()) return written();
  net::async_write(*socket_, net::buffer(out_.data() + out_done_, out_.size() - out_done_),
                   [self = shared_from_this()](const error_code& error, std::size_t) {
                     // An upstream that has closed may have answered before; that is read.
                     if (self->sink_ && !error) self->written();
                   });
}

void UpstreamCall::written() {
  is_written_ = is_request_whole_;
  out_ = {};
  if (!limits_.whole) deadline_ = now() + limits_.silence;
  if (const Then then = std::exchange(then_, {})) then();
}

void UpstreamCall::wait_readable() {
  socket_->async_wait(Socket::wait_read, [self = shared_from_this()](const error_code& error) {
    if (!error && self->sink_) self->on_readable();
  });
}

void UpstreamCall::on_readable() {
  error_code error;
  auto& buffer = read_buffer();
  const std::size_t count = socket_->read_some(net::buffer(buffer), error);
  if (error == net::error::would_block) return wait_readable();
  if (!limits_.whole) deadline_ = now() + limits_.silence;
  if (!error) return take({buffer.data(), count});
  if (!reader_ || !reader_->is_head_done() || error != net::error::eof) return end(Ending::Kind::cut);
  reader_->feed_end();
  if (reader_->is_wrong()) return end(Ending::Kind::cut);
  hand_over();
}

void UpstreamCall::take(std::string_view bytes) {
  while (true) {
    if (!reader_) reader_.emplace(upstream_.settings().header_bytes_max, limits_.is_head);
    if (!unread_.empty()) {
      unread_ += bytes;
      bytes = {};
    }
    const std::string kept = std::exchange(unread_, {});
    std::string_view all = kept.empty() ? bytes : std::string_view(kept);
    all.remove_prefix(reader_->feed(all));
    if (reader_->is_head_done() && !reader_->is_done() && !reader_->is_wrong()) all.remove_prefix(reader_->feed(all));
    unread_ = all;
    if (reader_->is_wrong()) return end(Ending::Kind::cut);
    if (!reader_->is_head_done()) return wait_readable();
    if (reader_->status() >= 200) return hand_over();
    // An interim answer is for us: the client has been told to go on already. Nobody has asked to switch protocols.
    if (reader_->status() == 101) return end(Ending::Kind::cut);
    reader_.reset();
    bytes = {};
    if (unread_.empty()) return wait_readable();
  }
}

void UpstreamCall::hand_over() {
  AnswerSink::Part part{.body = reader_->take_body(), .is_end = reader_->is_done()};
  if (!std::exchange(is_head_told_, true)) part.head = reader_->head();
  const auto sink = sink_;
  if (!limits_.whole)
    deadline_ = MonotonicTime::max();  // Until more is asked for, it is not the upstream that is slow.
  if (part.is_end) finish();
  sink->came(std::move(part));
}

/// The connection is good for another request only if both sides have said all, and no more.
void UpstreamCall::finish() {
  sink_.reset();
  if (is_written_ && reader_->keeps_alive() && unread_.empty()) {
    return upstream_.give_back(std::move(socket_), reader_->keep_alive_time());
  }
  error_code ignored;
  socket_->close(ignored);
}

void UpstreamCall::resume() {
  if (!sink_) return;
  if (!limits_.whole) deadline_ = now() + limits_.silence;
  wait_readable();
}

void UpstreamCall::lift_limit() {
  limits_.whole.reset();
  whole_deadline_.reset();
}

void UpstreamCall::end(Ending::Kind why) {
  const auto sink = std::exchange(sink_, nullptr);
  cancel();
  if (sink) sink->failed(has_left_ ? why : Ending::Kind::never_left);
}

void UpstreamCall::cancel() {
  sink_.reset();
  then_ = {};
  if (resolver_) resolver_->cancel();
  error_code ignored;
  if (socket_) socket_->close(ignored);
}

void UpstreamCall::check(MonotonicTime now) {
  const bool is_late = now >= deadline_ || (whole_deadline_ && now >= *whole_deadline_);
  if (sink_ && is_late) end(Ending::Kind::timeout);
}

}  // namespace makegood::proxy
