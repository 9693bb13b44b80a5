// Reads a stream of JetStream by its numbers: a consumer of our own for each beginning, which the server forgets when
// nobody asks it for anything. It acknowledges nothing: where reading goes on is not the server's to know.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "makegood/brokers.hpp"
#include "makegood/clock.hpp"
#include "makegood/spi/source.hpp"
#include "transports/broker/dialogue.hpp"

namespace makegood::nats {

class Listener;

class StreamReader final : public Source {
 public:
  static Result<std::unique_ptr<Source>> open(NatsSourceSettings settings, broker::Access access,
                                              const BrokerOptions& options, const Clock& clock);

  Result<Polled> poll(const PollLimits& limits, Duration wait) override;
  Result<std::string> first(const std::string& partition) override;
  Result<> start(const std::vector<SourcePlace>& places) override;
  void acknowledge(const std::vector<SourcePlace>& /*places*/) override {}
  void hold(bool is_held) override { is_held_ = is_held; }
  std::map<std::string, std::int64_t> behind() override { return {{settings_.stream, behind_}}; }

 private:
  /// Of the stream, as it is now.
  struct State {
    std::int64_t first = 0;
    std::int64_t last = 0;
  };

  StreamReader(NatsSourceSettings settings, const Clock& clock) : settings_(std::move(settings)), clock_(clock) {}
  Result<> connect();
  Result<std::string> ask(const std::string& subject, const std::string& question);
  Result<State> state();
  Result<> begin_at(std::int64_t number);
  Result<> pull(const PollLimits& limits);
  Result<bool> is_whole_before(std::int64_t number);
  Result<> hand_over(const PollLimits& limits, Polled& polled);
  void lose();

  const NatsSourceSettings settings_;
  const Clock& clock_;
  std::unique_ptr<broker::Dialogue> dialogue_;
  Listener* listener_ = nullptr;  ///< Of the connection that is open.
  bool has_told_ = false;         ///< Which partition there is.
  bool is_held_ = false;
  bool is_lost_ = false;  ///< What comes next is no longer there.
  std::string consumer_;  ///< Empty: nothing is read.
  std::int64_t expected_ = 0;
  std::int64_t behind_ = 0;
  MonotonicTime pulled_until_;
};

}  // namespace makegood::nats
