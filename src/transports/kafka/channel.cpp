#include "transports/kafka/channel.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/real_time.hpp"
#include "transports/broker/protocol.hpp"
#include "transports/kafka/verdict.hpp"

namespace makegood::kafka {
namespace {

/// How late somebody may learn that it came to nothing, or a lease be found to be over.
constexpr std::chrono::milliseconds watch_interval{20};
constexpr std::chrono::milliseconds idle_interval{1000};
/// So long nobody asks again for a topic that is not there.
constexpr Duration barred_for = std::chrono::seconds(2);
/// What was called back is confirmed at once; a client that does not is broken.
constexpr Duration call_back_within = std::chrono::seconds(5);
constexpr Duration suspected_for = std::chrono::minutes(1);
constexpr std::uint64_t batch_bytes_least = 16'384;

}  // namespace

Channel::Channel(const DestinationPtr& destination, const BrokerOptions& options, const Clock& clock)
    : destination_(destination),
      in_flight_max_(destination->in_flight_max),
      target_(target_of(*destination, options)),
      clock_(clock),
      wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      secrets_(clock, options.network.warn),
      batch_bytes_(target_ ? target_->settings.batch_bytes : 0),
      thread_([this] { run(); }) {}

Channel::~Channel() {
  {
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
  }
  wake();
  thread_.join();
}

void Channel::send(std::vector<Sending> sendings) {
  {
    const std::scoped_lock lock(mutex_);
    in_hand_ += sendings.size();
    std::ranges::move(sendings, std::back_inserter(inbox_));
  }
  wake();
}

std::future<void> Channel::drain(Completions& done, MonotonicTime until) {
  Drain drain{.done = &done, .until = until, .ended = {}};
  std::future<void> ended = drain.ended.get_future();
  {
    const std::scoped_lock lock(mutex_);
    new_drains_.push_back(std::move(drain));
  }
  wake();
  return ended;
}

bool Channel::is_orphan() const {
  const std::scoped_lock lock(mutex_);
  return in_hand_ == 0 && destination_.expired();
}

void Channel::run() {
  while (true) {
    {
      const std::scoped_lock lock(mutex_);
      if (is_over_) break;
    }
    take_inbox();
    give_up_waiting();
    hand_over();
    hear();
    watch();
    outgoing_.post();
    serve_drains();
    wait();
  }
  for (auto& [token, record] : under_way_) record.sending.done = nullptr;
  if (producer_ != nullptr) end_producer({});
  for (Drain& drain : drains_) drain.ended.set_value();
}

void Channel::take_inbox() {
  std::vector<Sending> sendings;
  {
    const std::scoped_lock lock(mutex_);
    sendings = std::exchange(inbox_, {});
    std::ranges::move(std::exchange(new_drains_, {}), std::back_inserter(drains_));
  }
  std::ranges::move(sendings, std::back_inserter(waiting_));
  if (drains_.empty()) return;
  std::erase_if(waiting_, [this](Sending& sending) {
    const bool is_forgotten = std::ranges::find(drains_, sending.done, &Drain::done) != drains_.end();
    if (is_forgotten) complete({.delivery = std::move(sending.delivery), .done = nullptr, .deadline = {}}, {});
    return is_forgotten;
  });
}

/// They have not been handed over, so nothing of them has left.
void Channel::give_up_waiting() {
  const MonotonicTime now = real_now();
  while (!waiting_.empty() && waiting_.front().deadline <= now) {
    complete(waiting_.front(), too_late(false));
    waiting_.pop_front();
  }
}

void Channel::hand_over() {
  while (!waiting_.empty()) {
    const std::size_t places = suspects_.empty() ? in_flight_max_ : 1;
    if (under_way_.size() >= places || !hand_over_one(waiting_.front())) return;
    waiting_.pop_front();
  }
}

/// False: it has to wait.
bool Channel::hand_over_one(Sending& sending) {
  const auto settle_with = [&](Reply reply) {
    complete(sending, std::move(reply));
    return true;
  };
  if (!target_) return settle_with(broker::refused_here(target_.error()));
  if (sending.delivery.call != nullptr) {
    return settle_with(Reply::unsendable(broker::code_text(Errc::invalid), "A saga's step cannot be called by Kafka."));
  }
  if (!make_producer()) return false;
  const auto record = record_of(sending.delivery, *target_);
  if (!record) return settle_with(broker::refused_here(record.error()));
  bool is_settled = false;
  if (!is_topic_there(*record, sending, is_settled)) return is_settled;
  if (!sending.delivery.may_leave()) return settle_with(Reply::withheld());
  const rd_kafka_resp_err_t error = producer_->send(*record, next_token_);
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
    under_way_.emplace(next_token_++, UnderWay{std::move(sending), record->topic});
    return true;
  }
  if (blame_for(error) == Blame::its_batch) return settle_with(refused(error));
  return false;  // It is full for now, or about to end.
}

bool Channel::make_producer() {
  if (producer_ != nullptr) return true;
  auto opened = Producer::open(
      *target_, {.in_flight_max = in_flight_max_, .batch_bytes = batch_bytes_, .is_one_by_one = !suspects_.empty()},
      secrets_, clock_, wake_.number());
  if (opened) {
    producer_ = *std::move(opened);
    return true;
  }
  refuse_waiting(broker::refused_here(opened.error()));
  return false;
}

bool Channel::is_topic_there(const Record& record, const Sending& sending, bool& is_settled) {
  const auto known = barred_.find(record.topic);
  if (known != barred_.end() && known->second.until > real_now()) {
    complete(sending, known->second.reply);
    is_settled = true;
    return false;
  }
  rd_kafka_resp_err_t why = RD_KAFKA_RESP_ERR_NO_ERROR;
  switch (producer_->look_up(record.topic, why)) {
    case Producer::Topic::there:
      barred_.erase(record.topic);
      return true;
    case Producer::Topic::unanswered:
      return false;
    case Producer::Topic::barred:
      barred_[record.topic] = {real_now() + barred_for, no_topic(why, record.topic)};
      complete(sending, barred_[record.topic].reply);
      is_settled = true;
      return false;
  }
  std::unreachable();
}

void Channel::hear() {
  if (producer_ == nullptr) return;
  std::optional<Trouble> trouble;
  std::vector<Confirmation> failed;
  for (const Confirmation& confirmation : producer_->hear(trouble)) {
    if (confirmation.error == RD_KAFKA_RESP_ERR_NO_ERROR) {
      settle(confirmation);
    } else {
      failed.push_back(confirmation);
    }
  }
  if (!failed.empty() || (trouble && trouble->is_fatal)) return end_producer(std::move(failed));
  // What it has in hand it sends when a server is back, each once; what comes meanwhile need not wait for that.
  if (trouble) refuse_waiting(not_taken(false, trouble->reason));
}

void Channel::settle(const Confirmation& confirmation) {
  const auto found = under_way_.find(confirmation.token);
  if (found == under_way_.end()) return;
  suspects_.erase(found->second.sending.delivery.message->sequence);
  complete(found->second.sending, Reply::said(Outcome::ok()));
  under_way_.erase(found);
}

/// The first is the oldest; their leases are one.
void Channel::watch() {
  if (!suspects_.empty() && real_now() >= suspects_until_) suspects_.clear();
  if (producer_ == nullptr) return;
  if (under_way_.empty()) {
    // Whoever was sent one by one, or is to be, needs a producer of another kind.
    if (producer_->is_one_by_one() == suspects_.empty()) producer_.reset();
    return;
  }
  const Sending& oldest = under_way_.begin()->second.sending;
  if (oldest.deadline <= real_now() || !oldest.delivery.may_leave()) end_producer({});
}

void Channel::refuse_waiting(const Reply& reply) {
  for (const Sending& sending : std::exchange(waiting_, {})) complete(sending, reply);
}

void Channel::end_producer(std::vector<Confirmation> failed) {
  const bool was_alone = producer_->is_one_by_one();
  const std::map<Token, Confirmation> confirmed = call_all_back(std::move(failed));
  producer_.reset();
  for (const auto& [token, record] : std::exchange(under_way_, {})) {
    const auto found = confirmed.find(token);
    // Without a word about it, it may be anywhere.
    const Confirmation told =
        found != confirmed.end() ? found->second : Confirmation{token, RD_KAFKA_RESP_ERR__PURGE_INFLIGHT, true};
    complete(record.sending, reply_to(record, told, was_alone));
  }
}

std::map<Token, Confirmation> Channel::call_all_back(std::vector<Confirmation> failed) {
  std::map<Token, Confirmation> confirmed;
  for (const Confirmation& one : failed) confirmed.emplace(one.token, one);
  producer_->purge();
  const MonotonicTime until = real_now() + call_back_within;
  while (confirmed.size() < under_way_.size() && real_now() < until) {
    std::optional<Trouble> trouble;
    const auto heard = producer_->hear(trouble);
    for (const Confirmation& one : heard) confirmed.emplace(one.token, one);
    if (heard.empty()) wait();
  }
  return confirmed;
}

Reply Channel::reply_to(const UnderWay& record, const Confirmation& told, bool was_alone) {
  const Delivery& delivery = record.sending.delivery;
  if (told.error == RD_KAFKA_RESP_ERR_NO_ERROR) {
    suspects_.erase(delivery.message->sequence);
    return Reply::said(Outcome::ok());
  }
  switch (blame_for(told.error)) {
    case Blame::topic:
      return no_topic(told.error, record.topic);
    case Blame::its_batch:
      if (was_alone) {
        suspects_.erase(delivery.message->sequence);
        return refused(told.error);
      }
      suspects_.insert(delivery.message->sequence);
      suspects_until_ = real_now() + suspected_for;
      if (told.error == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE)
        batch_bytes_ = std::max(batch_bytes_ / 2, batch_bytes_least);
      return given_back(told.may_be_there);
    case Blame::the_cluster:
      return not_taken(told.may_be_there, rd_kafka_err2str(told.error));
    case Blame::nobody:
      if (!delivery.may_leave() && !told.may_be_there) return Reply::withheld();
      if (record.sending.deadline <= real_now()) return too_late(told.may_be_there);
      return given_back(told.may_be_there);
  }
  std::unreachable();
}

void Channel::serve_drains() {
  std::erase_if(drains_, [this](Drain& drain) {
    const bool is_late = real_now() >= drain.until;
    if (has_under_way(*drain.done) && !is_late) return false;
    for (auto& [token, record] : under_way_) {
      if (record.sending.done == drain.done) record.sending.done = nullptr;
    }
    // Nothing of it must leave later than this. What others have under way goes again.
    if (is_late && !under_way_.empty()) end_producer({});
    outgoing_.post();
    drain.ended.set_value();
    return true;
  });
}

bool Channel::has_under_way(const Completions& done) const {
  return std::ranges::any_of(under_way_, [&](const auto& each) { return each.second.sending.done == &done; });
}

void Channel::complete(const Sending& sending, Reply reply) {
  {
    const std::scoped_lock lock(mutex_);
    --in_hand_;
  }
  if (sending.done == nullptr) return;
  outgoing_.add(*sending.done, {.ticket = sending.delivery.ticket, .reply = std::move(reply)});
}

void Channel::wait() {
  const bool is_idle = waiting_.empty() && under_way_.empty() && drains_.empty();
  pollfd poll{.fd = wake_.number(), .events = POLLIN, .revents = 0};
  ::poll(&poll, 1, static_cast<int>((is_idle ? idle_interval : watch_interval).count()));
  std::uint64_t count = 0;
  // Fails when nobody has rung.
  [[maybe_unused]] const auto read = ::read(wake_.number(), &count, sizeof count);
}

void Channel::wake() const {
  const std::uint64_t one = 1;
  // Fails only when the counter is full, and then it has been rung.
  [[maybe_unused]] const auto written = ::write(wake_.number(), &one, sizeof one);
}

}  // namespace makegood::kafka
