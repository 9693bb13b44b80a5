// Reads a queue. It has no offsets: a place is how many messages were taken in, and what was not acknowledged comes
// again. So what tells a repeat is the id of its event.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "makegood/brokers.hpp"
#include "makegood/clock.hpp"
#include "makegood/spi/source.hpp"
#include "transports/amqp/subscriber.hpp"
#include "transports/broker/dialogue.hpp"

namespace makegood::amqp {

class QueueReader final : public Source {
 public:
  static Result<std::unique_ptr<Source>> open(AmqpSourceSettings settings, broker::Access access,
                                              const BrokerOptions& options, const Clock& clock);

  Result<Polled> poll(const PollLimits& limits, Duration wait) override;
  Result<std::string> first(const std::string& partition) override;
  Result<> start(const std::vector<SourcePlace>& places) override;
  void acknowledge(const std::vector<SourcePlace>& places) override;
  void hold(bool is_held) override { is_held_ = is_held; }
  std::map<std::string, std::int64_t> behind() override;

 private:
  QueueReader(AmqpSourceSettings settings, const Clock& clock) : settings_(std::move(settings)), clock_(clock) {}
  Result<> connect();
  void show_life();
  void hand_over(const PollLimits& limits, Polled& polled);

  const AmqpSourceSettings settings_;
  const Clock& clock_;
  std::unique_ptr<broker::Dialogue> dialogue_;
  Subscriber* subscriber_ = nullptr;  ///< Of the connection that is open.
  bool has_told_ = false;             ///< Which partition there is.
  bool is_held_ = false;
  bool is_subscribed_ = false;
  std::int64_t count_ = 0;                                        ///< Where the next one that is polled stands.
  std::deque<std::pair<std::int64_t, std::uint64_t>> unsettled_;  ///< The place behind each, and its tag.
  MonotonicTime beat_at_;
  MonotonicTime length_at_;
};

}  // namespace makegood::amqp
