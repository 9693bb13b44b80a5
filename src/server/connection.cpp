#include "server/connection.hpp"

#include "server/answer_text.hpp"
#include "server/event_text.hpp"

namespace makegood::server {
namespace {

constexpr std::string_view continue_line = "HTTP/1.1 100 Continue\r\n\r\n";
/// How long a refused caller may go on sending: an answer is lost if the connection is reset while it does.
constexpr Duration drain_time = std::chrono::seconds(2);
constexpr std::size_t kept_capacity_max = 4096;

MonotonicTime now() { return system_clock().monotonic(); }

api::Answer too_slow() { return api::problem(408, {Errc::timeout, "The request took too long to arrive."}); }

}  // namespace

Connection::Connection(Socket socket, Site& site, std::string user)
    : site_(site), user_(std::move(user)), socket_(std::move(socket)) {
  place_ = site_.connections.insert(site_.connections.end(), this);
  site_.figures.connections(site_.connections.size());
}

Connection::~Connection() {
  close();
  site_.connections.erase(place_);
  site_.figures.connections(site_.connections.size());
  if (site_.connections.empty() && site_.emptied) site_.emptied();
}

void Connection::begin() {
  error_code ignored;
  socket_.non_blocking(true, ignored);
  socket_.set_option(net::ip::tcp::no_delay(true), ignored);
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
  // Whatever comes on a stream, or after a refusal, is of no interest; its end is.
  if (phase_ == Phase::streaming || phase_ == Phase::draining) return wait_readable();
  take({site_.buffer.data(), count});
}

void Connection::take(std::string_view bytes) {
  if (phase_ == Phase::idle) enter(Phase::header, site_.options.header_timeout);
  const bool is_kept = !unread_.empty();
  if (is_kept) unread_ += bytes;
  const std::string_view all = is_kept ? std::string_view(unread_) : bytes;
  std::size_t taken = 0;
  auto refused = read_request(all, taken);
  if (is_kept) {
    unread_.erase(0, taken);
  } else {
    unread_.assign(all.substr(taken));
  }
  if (refused) return refuse(std::move(*refused));
  if (reader_->is_done()) return connect_call();
  wait_readable();
}

std::optional<Refused> Connection::read_request(std::string_view bytes, std::size_t& taken) {
  if (!reader_) reader_.emplace(site_.options.header_bytes_max, site_.options.body_bytes_max);
  taken = reader_->feed(bytes);
  if (phase_ == Phase::header && reader_->is_header_done() && !reader_->mistake()) {
    if (auto refused = judge_head()) return refused;
    enter(Phase::body, site_.options.body_timeout);
    taken += reader_->feed(bytes.substr(taken));
    if (!reader_->is_done() && taken == bytes.size()) invite_body();
  }
  if (reader_->mistake()) return Refused{Refusal::request, *reader_->mistake()};
  return {};
}

std::optional<Refused> Connection::judge_head() {
  is_last_ = !reader_->keeps_alive() || site_.is_stopping;
  return head_.read(*reader_, site_.gate, user_);
}

/// A caller who asked whether he may send the body waits for this word.
void Connection::invite_body() {
  if (reader_->header("Expect").empty()) return;
  error_code ignored;
  socket_.write_some(net::buffer(continue_line), ignored);  // It goes into an empty buffer of the system.
}

void Connection::connect_call() {
  phase_ = Phase::calling;
  deadline_ = MonotonicTime::max();
  began_ = now();
  if (head_.wants_stream()) return begin_stream();
  api::Call call = head_.call(*reader_);
  reader_.reset();
  if (auto at_once = site_.switchboard->connect(std::move(call), shared_from_this())) answer(std::move(*at_once));
}

void Connection::answer(api::Answer answer) {
  if (phase_ != Phase::calling) return;  // Closed meanwhile.
  is_last_ = is_last_ || site_.is_stopping;
  const Duration duration = now() - began_;
  site_.figures.answered(head_.method, head_.path, answer.status, duration);
  if (site_.process.accessed)
    site_.process.accessed({head_.method, head_.path, answer.status, duration, head_.request_id});
  enter(Phase::writing, site_.options.body_timeout);
  write(answer_text(
      answer, {.is_head = head_.is_head, .is_last = is_last_, .request_id = head_.request_id, .date = site_.date}));
}

/// Answers before all of the request has come. The rest of it cannot be told from the next one, so the connection ends.
void Connection::refuse(Refused refused) {
  site_.figures.refused(refused.why);
  if (head_.request_id.empty()) head_.request_id = request_id_from({});
  has_unread_ = !reader_ || !reader_->is_done() || reader_->mistake();
  is_last_ = is_last_ || has_unread_;
  phase_ = Phase::calling;
  began_ = now();
  answer(std::move(refused.answer));
}

/// Most answers fit into the system's buffer, and then nobody has to wait.
void Connection::write(std::string text) {
  out_ = std::move(text);
  out_done_ = 0;
  error_code error;
  out_done_ = socket_.write_some(net::buffer(out_), error);
  if (error && error != net::error::would_block) return close();
  if (out_done_ == out_.size()) return written();
  write_rest();
}

void Connection::write_rest() {
  is_writing_ = true;
  net::async_write(socket_, net::buffer(out_.data() + out_done_, out_.size() - out_done_),
                   [self = shared_from_this()](const error_code& error, std::size_t) {
                     self->is_writing_ = false;
                     if (self->phase_ == Phase::closed) return;
                     if (error) return self->close();
                     self->written();
                     self->write_events();  // Those that came meanwhile, on a stream.
                   });
}

void Connection::written() {
  if (out_.capacity() > kept_capacity_max) out_ = {};
  if (phase_ == Phase::streaming) {
    deadline_ = now() + keep_alive_interval;
    return;
  }
  if (is_last_) return has_unread_ ? drain() : close();
  next_request();
}

void Connection::next_request() {
  reader_.reset();
  // What is refused before its head is read must not be told under the name of the one before.
  head_ = {};
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

void Connection::close() {
  if (phase_ == Phase::closed) return;
  if (phase_ == Phase::streaming) site_.figures.streams(--site_.stream_count);
  phase_ = Phase::closed;
  subscription_.reset();
  error_code ignored;
  socket_.close(ignored);
}

void Connection::check(MonotonicTime now) {
  if (now < deadline_) return;
  switch (phase_) {
    case Phase::header:
    case Phase::body:
      return refuse({Refusal::timeout, too_slow()});
    case Phase::streaming:
      if (is_writing_) return close();
      return write(std::string(keep_alive_comment));
    case Phase::idle:
    case Phase::writing:
    case Phase::draining:
      return close();
    case Phase::calling:
    case Phase::closed:
      return;
  }
}

void Connection::wind_up() {
  switch (phase_) {
    case Phase::idle:
    case Phase::header:
    case Phase::streaming:
    case Phase::draining:
      return close();
    case Phase::body:
    case Phase::calling:
    case Phase::writing:
      is_last_ = true;
      return;
    case Phase::closed:
      return;
  }
}

}  // namespace makegood::server
