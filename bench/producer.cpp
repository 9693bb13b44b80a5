#include "bench/producer.hpp"

#include "makegood/assert.hpp"
#include "makegood/id.hpp"

namespace makegood::bench {

Producer::Producer(const Scratch& scratch) : bare_(scratch.database()) {
  auto enqueuer = sqlite::Enqueuer::open(bare_.handle());
  MAKEGOOD_ASSERT(enqueuer.has_value());
  enqueuer_ = std::make_unique<sqlite::Enqueuer>(std::move(*enqueuer));
}

std::string Producer::produce(const std::string& topic) {
  message_.event_id = new_uuid7();
  message_.topic = topic;
  bare_.run("BEGIN IMMEDIATE");
  MAKEGOOD_ASSERT(enqueuer_->enqueue(message_));
  bare_.run("COMMIT");
  return message_.event_id;
}

}  // namespace makegood::bench
