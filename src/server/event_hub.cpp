#include "server/event_hub.hpp"

#include <utility>

#include "server/event_text.hpp"

namespace makegood::server {

void Subscription::push(Text text) {
  {
    const std::scoped_lock lock(mutex_);
    if (texts_.size() >= events_max) {
      ++missed_count_;
      return;
    }
    texts_.push_back(std::move(text));
    if (texts_.size() > 1) return;  // It has been woken already.
  }
  wake_();
}

std::string Subscription::take() {
  std::deque<Text> texts;
  std::size_t missed_count = 0;
  {
    const std::scoped_lock lock(mutex_);
    texts.swap(texts_);
    missed_count = std::exchange(missed_count_, 0);
  }
  std::string all;
  for (const Text& text : texts) all += *text;
  if (missed_count > 0) all += missed_event(missed_count);
  return all;
}

std::shared_ptr<Subscription> EventHub::subscribe(EventFilter filter, std::function<void()> wake) {
  auto subscription = std::make_shared<Subscription>(std::move(filter), std::move(wake));
  const std::scoped_lock lock(mutex_);
  subscriptions_.emplace_back(subscription);
  return subscription;
}

/// Those that still listen. The lock is held for a moment, and never while a text is made.
EventHub::Listeners EventHub::listeners() {
  Listeners found;
  const std::scoped_lock lock(mutex_);
  std::erase_if(subscriptions_, [&](const std::weak_ptr<Subscription>& subscription) {
    auto listener = subscription.lock();
    if (!listener) return true;
    found.push_back(std::move(listener));
    return false;
  });
  return found;
}

template <class Make>
void EventHub::publish(const Listeners& listeners, const EventSubject& subject, Make make) {
  Subscription::Text text;
  for (const auto& listener : listeners) {
    if (!listener->filter().wants(subject)) continue;
    if (!text) text = std::make_shared<const std::string>(make(system_clock().now()));
    listener->push(text);
  }
}

void EventHub::attempts_ended(std::string_view outbox, std::span<const EndedAttempt> deliveries) {
  const Listeners listeners = this->listeners();
  if (listeners.empty()) return;
  for (const EndedAttempt& delivery : deliveries) {
    publish(listeners,
            {.kind = kind_of(delivery.fate),
             .outbox = outbox,
             .topic = delivery.message->topic,
             .tenant = delivery.message->tenant_id},
            [&](TimePoint at) { return attempt_event(outbox, delivery, at); });
  }
}

void EventHub::ownership(std::string_view outbox, std::string_view what, const std::string& owner) {
  publish(listeners(), {.kind = EventKind::ownership, .outbox = outbox},
          [&](TimePoint at) { return ownership_event(outbox, what, owner, at); });
}

void EventHub::alarm(std::string_view outbox, const Error& error) {
  publish(listeners(), {.kind = EventKind::alarm, .outbox = outbox},
          [&](TimePoint at) { return alarm_event(outbox, error, at); });
}

void EventHub::news(std::string_view outbox, std::span<const LaneNews> news) {
  const Listeners listeners = this->listeners();
  for (const LaneNews& each : news) {
    publish(listeners, {.kind = EventKind::news, .outbox = outbox, .tenant = each.scope.tenant_id},
            [&](TimePoint at) { return news_event(outbox, each, at); });
  }
}

/// Not how much is left at the broker, which is told again and again.
void EventHub::source(std::string_view outbox, std::string_view source, const SourceNews& news) {
  if (news.kind == SourceNews::Kind::behind) return;
  publish(listeners(), {.kind = EventKind::source, .outbox = outbox},
          [&](TimePoint at) { return source_event(outbox, source, news, at); });
}

void EventHub::sagas(std::string_view log, std::span<const SagaNews> news) {
  const Listeners listeners = this->listeners();
  if (listeners.empty()) return;
  for (const SagaNews& each : news) {
    publish(listeners, {.kind = kind_of(each.kind), .outbox = log, .topic = each.definition, .tenant = each.tenant_id},
            [&](TimePoint at) { return saga_event(log, each, at); });
  }
}

void EventHub::key(const api::KeyNews& news) {
  publish(listeners(), {.kind = kind_of(news.kind), .topic = news.key.scope, .tenant = news.key.tenant_id},
          [&](TimePoint at) { return key_event(news, at); });
}

}  // namespace makegood::server
