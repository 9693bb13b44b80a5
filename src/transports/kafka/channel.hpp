// One destination: its thread, its producer, what waits and what is under way.
//
// The first record that fails, comes too late, or whose lease is over ends the producer: everything without a
// confirmation is called back, told apart by whether it may be there, and goes again in its order. A refused batch
// blames nobody: until those of it have been settled, records go one by one.
#pragma once

#include <cstddef>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.hpp"
#include "makegood/delivery.hpp"
#include "makegood/spi/transport.hpp"
#include "transports/kafka/producer.hpp"
#include "transports/net/outgoing.hpp"

namespace makegood::kafka {

/// A delivery that was handed over, and whom to tell.
struct Sending {
  Delivery delivery;
  Completions* done = nullptr;  ///< Null: nobody wants to know any more.
  MonotonicTime deadline;
};

class Channel {
 public:
  Channel(const DestinationPtr& destination, const BrokerOptions& options, const Clock& clock);
  /// What is under way is given up unseen.
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // From any thread.

  void send(std::vector<Sending> sendings);
  /// Starts nothing more of this receiver, waits for what is under way until then, and forgets it.
  std::future<void> drain(Completions& done, MonotonicTime until);
  /// Nobody has the destination any more, and nothing is in hand.
  bool is_orphan() const;

 private:
  struct Drain {
    Completions* done;
    MonotonicTime until;
    std::promise<void> ended;
  };
  struct UnderWay {
    Sending sending;
    std::string topic;
  };
  struct Barred {
    MonotonicTime until;
    Reply reply;
  };

  void run();
  void take_inbox();
  void hand_over();
  bool hand_over_one(Sending& sending);
  bool is_topic_there(const Record& record, const Sending& sending, bool& is_settled);
  bool make_producer();

  void hear();
  void settle(const Confirmation& confirmation);
  void watch();
  void refuse_waiting(const Reply& reply);
  void give_up_waiting();
  void end_producer(std::vector<Confirmation> failed);
  std::map<Token, Confirmation> call_all_back(std::vector<Confirmation> failed);
  Reply reply_to(const UnderWay& record, const Confirmation& confirmation, bool was_alone);

  void serve_drains();
  bool has_under_way(const Completions& done) const;
  void complete(const Sending& sending, Reply reply);
  void wait();
  void wake() const;

  // Constant after construction.
  const std::weak_ptr<const Destination> destination_;
  const std::size_t in_flight_max_;
  const Result<Target> target_;
  const Clock& clock_;
  const Descriptor wake_;

  // Used by the thread only.
  net::Secrets secrets_;
  net::Outgoing outgoing_;
  std::unique_ptr<Producer> producer_;
  std::deque<Sending> waiting_;          ///< In the order of their deadlines, since all have the same timeout.
  std::map<Token, UnderWay> under_way_;  ///< In the order in which they were handed over.
  Token next_token_ = 1;
  std::map<std::string, Barred> barred_;  ///< Topics that were asked for a moment ago.
  std::set<Sequence> suspects_;           ///< Of a batch that was refused.
  MonotonicTime suspects_until_;
  std::uint64_t batch_bytes_ = 0;
  std::deque<Drain> drains_;

  // Guarded by mutex_.
  mutable std::mutex mutex_;
  std::vector<Sending> inbox_;
  std::vector<Drain> new_drains_;
  std::size_t in_hand_ = 0;  ///< Taken and not completed.
  bool is_over_ = false;

  std::jthread thread_;  // Last: it uses the others until it ends.
};

}  // namespace makegood::kafka
