// A producer of librdkafka, in one type. No other file calls its functions.
//
// It keeps the order of what it is handed, per partition, and never delivers a record after an earlier one of its
// partition has failed: acks=all, idempotence, and an error that would leave a gap ends it (enable.gapless.guarantee).
// It never gives up by itself (message.timeout.ms=0). Whoever uses it ends it with the first failure or deadline, and
// learns of each record whether it may be there.
#pragma once

#include <librdkafka/rdkafka.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/result.hpp"
#include "transports/kafka/record.hpp"
#include "transports/kafka/target.hpp"
#include "transports/net/secrets.hpp"

namespace makegood::kafka {

/// Names a record within its channel.
using Token = std::uint64_t;

/// What became of one record.
struct Confirmation {
  Token token = 0;
  rd_kafka_resp_err_t error = RD_KAFKA_RESP_ERR_NO_ERROR;
  bool may_be_there = false;
};

/// What is the matter with the client as a whole.
struct Trouble {
  std::string reason;
  bool is_fatal = false;
};

struct ProducerLimits {
  std::size_t in_flight_max = 0;
  std::uint64_t batch_bytes = 0;
  bool is_one_by_one = false;  ///< A batch has one record, so its error is that record's.
};

class Producer {
 public:
  enum class Topic : std::uint8_t { there, unanswered, barred };

  /// `wake` is written to when there is something to hear. What is referred to must outlive it.
  static Result<std::unique_ptr<Producer>> open(const Target& target, const ProducerLimits& limits,
                                                net::Secrets& secrets, const Clock& clock, int wake);
  Producer(const Producer&) = delete;
  Producer& operator=(const Producer&) = delete;

  bool is_one_by_one() const { return is_one_by_one_; }
  /// Whether it can be sent to; asked once, and waited for a moment. `why` is set for what is barred.
  Topic look_up(const std::string& topic, rd_kafka_resp_err_t& why);
  /// Only to a topic that is there. The record's value must stay until it is confirmed.
  rd_kafka_resp_err_t send(const Record& record, Token token);

  /// What has been confirmed; and what is the matter, if anything is.
  std::vector<Confirmation> hear(std::optional<Trouble>& trouble);
  /// What waits in it and what is under way is given up; each is confirmed as that.
  void purge();

 private:
  struct DestroyHeaders {
    void operator()(rd_kafka_headers_t* headers) const noexcept { rd_kafka_headers_destroy(headers); }
  };
  struct DestroyTopic {
    void operator()(rd_kafka_topic_t* topic) const noexcept { rd_kafka_topic_destroy(topic); }
  };
  struct DestroyQueue {
    void operator()(rd_kafka_queue_t* queue) const noexcept { rd_kafka_queue_destroy(queue); }
  };
  struct DestroyClient {
    void operator()(rd_kafka_t* client) const noexcept { rd_kafka_destroy(client); }
  };
  struct DestroyEvent {
    void operator()(rd_kafka_event_t* event) const noexcept { rd_kafka_event_destroy(event); }
  };
  using TopicHandle = std::unique_ptr<rd_kafka_topic_t, DestroyTopic>;

  Producer(const Target& target, net::Secrets& secrets, const Clock& clock, rd_kafka_t* client, int wake,
           bool is_one_by_one);
  Result<> give_token();
  void note(rd_kafka_event_t& event, std::vector<Confirmation>& confirmed, std::optional<Trouble>& trouble);

  void note_error(rd_kafka_event_t& event, std::optional<Trouble>& trouble);

  const Target& target_;
  net::Secrets& secrets_;
  const Clock& clock_;
  const bool is_one_by_one_;
  std::unique_ptr<rd_kafka_t, DestroyClient> client_;
  std::unique_ptr<rd_kafka_queue_t, DestroyQueue> queue_;
  std::string last_reason_ = {};
  std::map<std::string, TopicHandle> topics_;  ///< Those that are there.
};

}  // namespace makegood::kafka
