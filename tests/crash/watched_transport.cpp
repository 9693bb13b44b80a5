#include "tests/crash/watched_transport.hpp"

#include "makegood/spi/assert.hpp"
#include "tests/crash/failpoints.hpp"

namespace makegood::crash {

void WatchedTransport::send(std::vector<Delivery> deliveries, Completions& done) {
  pass("send.before");
  {
    const std::scoped_lock lock(mutex_);
    done_ = &done;
    for (const Delivery& delivery : deliveries) {
      const std::string event_id(delivery.message->event_id);
      if (delivery.may_leave()) {  // Or else it is handed over and comes back.
        chronicle_.note({"sent", owner_, delivery.destination->name, event_id,
                         std::to_string(delivery.message->sequence), std::to_string(delivery.attempt)});
      }
      under_way_[delivery.ticket] = {owner_, delivery.destination->name, event_id};
    }
  }
  inner_.send(std::move(deliveries), *this);
  pass("send.handed_over");
}

void WatchedTransport::post(std::vector<Report> reports) {
  {
    const std::scoped_lock lock(mutex_);
    for (const Report& report : reports) note_answer(report);
    done_->post(std::move(reports));
  }
  answered_.notify_all();
  pass("send.answered");
}

/// Written down before the owner hears of it.
void WatchedTransport::note_answer(const Report& report) {
  const auto sent = under_way_.find(report.ticket);
  MAKEGOOD_ASSERT(sent != under_way_.end());
  const bool is_ok = judged_by_outbox(report.reply).kind == Outcome::Kind::ok;
  if (is_ok) chronicle_.note({"acknowledged", sent->second.owner, sent->second.destination, sent->second.event_id});
  under_way_.erase(sent);
}

void WatchedTransport::await_answers() {
  std::unique_lock lock(mutex_);
  MAKEGOOD_ASSERT(answered_.wait_for(lock, std::chrono::seconds(20), [this] { return under_way_.empty(); }));
}

}  // namespace makegood::crash
