// A connection that has become a stream of events.
#include "server/answer_text.hpp"
#include "server/connection.hpp"

namespace makegood::server {

void Connection::begin_stream() {
  auto filter = parse_event_filter(head_.query);
  if (!filter) return answer(api::problem(filter.error()));
  if (site_.stream_count >= site_.options.streams_max) {
    site_.figures.refused(Refusal::streams);
    return answer(api::problem(503, {Errc::unavailable, "There are as many streams as are allowed; try again later."}));
  }
  reader_.reset();
  site_.figures.streams(++site_.stream_count);
  site_.figures.answered(head_.method, head_.path, 200, {});
  phase_ = Phase::streaming;
  const std::weak_ptr<Connection> stream = weak_from_this();
  const Executor executor = socket_.get_executor();
  subscription_ = site_.hub.subscribe(std::move(*filter), [stream, executor] {
    net::post(executor, [stream] {
      if (const auto self = stream.lock()) self->write_events();
    });
  });
  wait_readable();
  deadline_ = system_clock().monotonic() + site_.options.body_timeout;
  write(stream_head({.is_last = true, .request_id = head_.request_id, .date = site_.date}));
}

/// While one piece is on its way the next is gathered; what does not fit is counted, and told.
void Connection::write_events() {
  if (phase_ != Phase::streaming || is_writing_) return;
  std::string text = subscription_->take();
  if (text.empty()) return;
  deadline_ = system_clock().monotonic() + site_.options.body_timeout;
  write(std::move(text));
}

}  // namespace makegood::server
