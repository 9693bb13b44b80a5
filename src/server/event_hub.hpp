// From the lanes to the streams of server-sent events. A lane never waits for a reader.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "api/key_news.hpp"
#include "makegood/observe.hpp"
#include "server/event_filter.hpp"

namespace makegood::server {

/// What one stream is to be told next. Thread-safe.
class Subscription {
 public:
  using Text = std::shared_ptr<const std::string>;
  static constexpr std::size_t events_max = 1'000;

  /// `wake` is called by a lane's thread when there is something to take, and not again until it was taken.
  Subscription(EventFilter filter, std::function<void()> wake) : filter_(std::move(filter)), wake_(std::move(wake)) {}

  const EventFilter& filter() const { return filter_; }
  /// Beyond `events_max` it is only counted.
  void push(Text text);
  /// Everything there is, as it is to be written; empty when there is nothing.
  std::string take();

 private:
  const EventFilter filter_;
  const std::function<void()> wake_;
  std::mutex mutex_;
  std::deque<Text> texts_;        // Guarded by mutex_.
  std::size_t missed_count_ = 0;  // Guarded by mutex_.
};

class EventHub : public Observer {
 public:
  /// Ends when the caller lets go of it.
  std::shared_ptr<Subscription> subscribe(EventFilter filter, std::function<void()> wake);

  void attempts_ended(std::string_view outbox, std::span<const EndedAttempt> deliveries) override;
  void ownership(std::string_view outbox, std::string_view what, const std::string& owner) override;
  void alarm(std::string_view outbox, const Error& error) override;
  void news(std::string_view outbox, std::span<const LaneNews> news) override;
  void source(std::string_view outbox, std::string_view source, const SourceNews& news) override;
  void sagas(std::string_view log, std::span<const SagaNews> news) override;
  void key(const api::KeyNews& news);

 private:
  using Listeners = std::vector<std::shared_ptr<Subscription>>;
  Listeners listeners();
  /// The text is made only if somebody wants it, and once for all.
  template <class Make>
  static void publish(const Listeners& listeners, const EventSubject& subject, Make make);

  std::mutex mutex_;
  std::vector<std::weak_ptr<Subscription>> subscriptions_;  // Guarded by mutex_.
};

}  // namespace makegood::server
