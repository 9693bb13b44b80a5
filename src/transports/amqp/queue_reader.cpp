#include "transports/amqp/queue_reader.hpp"

#include <fmt/format.h>

#include <charconv>
#include <utility>

namespace makegood::amqp {
namespace {

/// Half of the time after which the server takes us for gone.
constexpr Duration beat_interval = std::chrono::seconds(4);
constexpr Duration length_interval = std::chrono::seconds(1);

std::int64_t number_in(std::string_view text) {
  std::int64_t number = -1;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  return failed == std::errc() && end == text.data() + text.size() ? number : -1;
}

}  // namespace

Result<std::unique_ptr<Source>> QueueReader::open(AmqpSourceSettings settings, broker::Access access,
                                                  const BrokerOptions& options, const Clock& clock) {
  std::unique_ptr<QueueReader> reader(new QueueReader(std::move(settings), clock));
  const auto converse = [self = reader.get(), username = access.username,
                         vhost = access.realm](broker::Credentials credentials) {
    auto subscriber = std::make_unique<Subscriber>(self->settings_.queue, username, vhost, std::move(credentials));
    self->subscriber_ = subscriber.get();
    return std::unique_ptr<broker::Conversation>(std::move(subscriber));
  };
  reader->dialogue_ = MAKEGOOD_TRY(broker::Dialogue::with(std::move(access), options, clock, converse));
  return std::unique_ptr<Source>(std::move(reader));
}

/// A subscription ends with its connection. It may have been lost where nobody was told, by an acknowledgement.
Result<> QueueReader::connect() {
  if (dialogue_->is_open()) return {};
  if (std::exchange(is_subscribed_, false)) return Error{Errc::unavailable, "The connection to the server was lost."};
  unsettled_.clear();  // All of it comes again.
  return dialogue_->open();
}

Result<std::string> QueueReader::first(const std::string& /*partition*/) { return std::string("0"); }

Result<> QueueReader::start(const std::vector<SourcePlace>& places) {
  MAKEGOOD_TRY(connect());
  for (const SourcePlace& place : places) {
    count_ = number_in(place.next);
    if (count_ < 0) {
      return Error{Errc::invalid, fmt::format("A place in {} is how many messages were taken in, not {}.",
                                              place.partition, place.next)};
    }
  }
  unsettled_.clear();
  subscriber_->subscribe(static_cast<std::uint16_t>(settings_.prefetch));
  MAKEGOOD_TRY(dialogue_->await([this] { return subscriber_->is_settled(); }));
  is_subscribed_ = true;
  return {};
}

Result<Polled> QueueReader::poll(const PollLimits& limits, Duration wait) {
  MAKEGOOD_TRY(connect());
  Polled polled;
  if (!std::exchange(has_told_, true)) {
    polled.partitions = {settings_.queue};
    return polled;
  }
  show_life();
  const bool has_some = !is_held_ && !subscriber_->received().empty();
  if (auto heard = dialogue_->listen(has_some ? Duration::zero() : wait); !heard) {
    is_subscribed_ = false;
    return heard.error();
  }
  if (!subscriber_->refusal().empty()) {
    return Error{Errc::unavailable,
                 fmt::format("The queue {} cannot be read. {}", settings_.queue, subscriber_->refusal())};
  }
  if (!is_held_) hand_over(limits, polled);
  return polled;
}

void QueueReader::show_life() {
  const MonotonicTime now = clock_.monotonic();
  if (now >= beat_at_) {
    subscriber_->beat();
    beat_at_ = now + beat_interval;
  }
  if (now >= length_at_) {
    subscriber_->ask_length();
    length_at_ = now + length_interval;
  }
}

void QueueReader::hand_over(const PollLimits& limits, Polled& polled) {
  auto& received = subscriber_->received();
  std::size_t bytes = 0;
  while (!received.empty() && polled.arrivals.size() < limits.rows_max && bytes < limits.bytes_max) {
    Arrival& arrival = received.front().arrival;
    arrival.at = std::to_string(count_);
    arrival.next = std::to_string(++count_);
    unsettled_.emplace_back(count_, received.front().tag);
    bytes += arrival.value->size();
    polled.arrivals.push_back(std::move(arrival));
    received.pop_front();
  }
}

/// Whatever becomes of it: what is not acknowledged comes again, and is known by its id.
void QueueReader::acknowledge(const std::vector<SourcePlace>& places) {
  if (!dialogue_->is_open()) return;
  std::uint64_t tag = 0;
  for (const SourcePlace& place : places) {
    const std::int64_t next = number_in(place.next);
    for (; !unsettled_.empty() && unsettled_.front().first <= next; unsettled_.pop_front()) {
      tag = unsettled_.front().second;
    }
  }
  if (tag == 0) return;
  subscriber_->acknowledge(tag);
  static_cast<void>(dialogue_->listen(Duration::zero()));
}

std::map<std::string, std::int64_t> QueueReader::behind() {
  if (!dialogue_->is_open()) return {};
  const auto here = static_cast<std::int64_t>(subscriber_->received().size());
  return {{settings_.queue, subscriber_->length() + here}};
}

}  // namespace makegood::amqp
