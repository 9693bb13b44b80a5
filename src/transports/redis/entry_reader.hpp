// Reads a stream of Redis behind the last entry that was taken in. A group is written for others to see, and never
// read.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "makegood/brokers.hpp"
#include "makegood/clock.hpp"
#include "makegood/spi/source.hpp"
#include "transports/broker/dialogue.hpp"
#include "transports/redis/asker.hpp"

namespace makegood::redis {

class EntryReader final : public Source {
 public:
  static Result<std::unique_ptr<Source>> open(RedisSourceSettings settings, broker::Access access,
                                              const BrokerOptions& options, const Clock& clock);

  Result<Polled> poll(const PollLimits& limits, Duration wait) override;
  Result<std::string> first(const std::string& partition) override;
  Result<> start(const std::vector<SourcePlace>& places) override;
  void acknowledge(const std::vector<SourcePlace>& places) override;
  void hold(bool is_held) override { is_held_ = is_held; }
  std::map<std::string, std::int64_t> behind() override { return {{settings_.stream, behind_}}; }

 private:
  explicit EntryReader(RedisSourceSettings settings) : settings_(std::move(settings)) {}
  Result<> connect();
  /// Its bytes, to be parsed where they are used. An error of the server is one of ours.
  Result<std::string> ask(std::initializer_list<std::string_view> arguments);
  Result<> read(const PollLimits& limits, Polled& polled);
  Result<bool> wait_for_more(Duration wait);

  const RedisSourceSettings settings_;
  std::unique_ptr<broker::Dialogue> dialogue_;
  Asker* asker_ = nullptr;  ///< Of the connection that is open.
  bool has_told_ = false;   ///< Which partition there is.
  bool is_held_ = false;
  bool is_lost_ = false;  ///< What comes next is no longer there.
  bool is_new_group_ = true;
  std::string place_;  ///< The last entry that was polled; empty: nothing is read.
  std::int64_t behind_ = 0;
};

}  // namespace makegood::redis
