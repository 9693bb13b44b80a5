// A consumer of librdkafka, in one type. It is told what to read from where and is in no group, so nobody else's coming
// or going stops it; it commits nothing by itself, and an offset that is gone is an error.
#pragma once

#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "makegood/brokers.hpp"
#include "makegood/clock.hpp"
#include "makegood/spi/source.hpp"
#include "transports/broker/target.hpp"
#include "transports/net/secrets.hpp"

namespace makegood::kafka {

class TopicReader final : public Source {
 public:
  static Result<std::unique_ptr<TopicReader>> open(KafkaSourceSettings settings, broker::Access access,
                                                   const BrokerOptions& options, const Clock& clock);
  ~TopicReader() override;
  TopicReader(const TopicReader&) = delete;
  TopicReader& operator=(const TopicReader&) = delete;

  Result<Polled> poll(const PollLimits& limits, Duration wait) override;
  Result<std::string> first(const std::string& partition) override;
  Result<> start(const std::vector<SourcePlace>& places) override;
  void acknowledge(const std::vector<SourcePlace>& places) override;
  void hold(bool is_held) override;
  std::map<std::string, std::int64_t> behind() override;

 private:
  struct DestroyClient {
    void operator()(rd_kafka_t* client) const noexcept { rd_kafka_destroy(client); }
  };

  TopicReader(KafkaSourceSettings settings, broker::Access access, const BrokerOptions& options, const Clock& clock);
  Result<> connect();
  static void on_error(rd_kafka_t* client, int error, const char* reason, void* self);
  static void on_token(rd_kafka_t* client, const char* config, void* self);
  Result<bool> look_for_partitions();
  Result<> add_partitions(const std::string& topic, std::vector<std::string>& partitions);
  void take(const rd_kafka_message_t& message, Polled& polled);
  void note(const rd_kafka_message_t& failed, Polled& polled);
  void pause_or_resume();

  const KafkaSourceSettings settings_;
  const broker::Access access_;
  const Clock& clock_;
  net::Secrets secrets_;
  std::vector<std::string> partitions_;
  MonotonicTime look_at_;  ///< When it looks again whether there are more.
  std::map<std::string, std::int64_t> next_;
  bool is_held_ = false;
  std::optional<Error> trouble_;
  std::string last_reason_;
  std::unique_ptr<rd_kafka_t, DestroyClient> client_;  // Calls back into what stands before it.
};

}  // namespace makegood::kafka
