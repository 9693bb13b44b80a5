// What an error of librdkafka means for a delivery.
#pragma once

#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <string>

#include "makegood/delivery.hpp"

namespace makegood::kafka {

enum class Blame : std::uint8_t {
  nobody,       ///< It was given up with its producer.
  topic,        ///< Its topic is not there, or closed to us.
  its_batch,    ///< One of its batch is refused for what it is; alone, it is this one.
  the_cluster,  ///< Nobody took it.
};
Blame blame_for(rd_kafka_resp_err_t error);

/// `KAFKA.MSG_SIZE_TOO_LARGE`.
std::string code_of(rd_kafka_resp_err_t error);
Reply no_topic(rd_kafka_resp_err_t error, const std::string& topic);
Reply refused(rd_kafka_resp_err_t error);
Reply not_taken(bool may_be_there, const std::string& why);
Reply too_late(bool may_be_there);
/// Nothing is the matter with it: it was given up because of another, and goes again in its order.
Reply given_back(bool may_be_there);

}  // namespace makegood::kafka
