#include "bench/producer.hpp"

#include "makegood/id.hpp"

namespace makegood::bench {

std::string Producer::produce(const std::string& topic) {
  message_.event_id = new_uuid7();
  message_.topic = topic;
  application_->commit({&message_, 1});
  return message_.event_id;
}

}  // namespace makegood::bench
