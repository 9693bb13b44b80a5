#include "transports/kafka/verdict.hpp"

#include <fmt/format.h>

#include "makegood/result.hpp"

namespace makegood::kafka {

Blame blame_for(rd_kafka_resp_err_t error) {
  switch (static_cast<int>(error)) {  // Of two hundred codes only these mean something else here.
    case RD_KAFKA_RESP_ERR__PURGE_QUEUE:
    case RD_KAFKA_RESP_ERR__PURGE_INFLIGHT:
    case RD_KAFKA_RESP_ERR__FATAL:
    case RD_KAFKA_RESP_ERR__GAPLESS_GUARANTEE:
    case RD_KAFKA_RESP_ERR__DESTROY:
      return Blame::nobody;
    case RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC:
    case RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION:
    case RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART:
    case RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED:
    case RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION:
      return Blame::topic;
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
    case RD_KAFKA_RESP_ERR_INVALID_MSG:
    case RD_KAFKA_RESP_ERR_INVALID_MSG_SIZE:
    case RD_KAFKA_RESP_ERR_INVALID_RECORD:
    case RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP:
    case RD_KAFKA_RESP_ERR_UNSUPPORTED_FOR_MESSAGE_FORMAT:
    case RD_KAFKA_RESP_ERR_POLICY_VIOLATION:
      return Blame::its_batch;
    default:
      return Blame::the_cluster;
  }
}

std::string code_of(rd_kafka_resp_err_t error) { return fmt::format("KAFKA.{}", rd_kafka_err2name(error)); }

Reply no_topic(rd_kafka_resp_err_t error, const std::string& topic) {
  return Reply::unreachable(code_of(error),
                            fmt::format("The topic {}: {}. Nothing was sent; it waits until the topic is "
                                        "there and open to this user.",
                                        topic, rd_kafka_err2str(error)));
}

Reply refused(rd_kafka_resp_err_t error) {
  Reply reply{.code = code_of(error), .detail = rd_kafka_err2str(error)};
  reply.verdict = Outcome::Kind::fail;
  return reply;
}

Reply not_taken(bool may_be_there, const std::string& why) {
  const std::string code(to_string(Errc::unavailable));
  return may_be_there ? Reply::silent(code, why + "; it may have arrived") : Reply::unreachable(code, why);
}

Reply too_late(bool may_be_there) {
  if (may_be_there)
    return Reply::silent(std::string(to_string(Errc::timeout)), "No answer in time; it may have arrived.");
  return Reply::unreachable(std::string(to_string(Errc::unavailable)), "No server took it in time; it was not sent.");
}

Reply given_back(bool may_be_there) {
  Reply reply{.what = may_be_there ? Reply::What::silent : Reply::What::unreachable};
  reply.verdict = Outcome::Kind::returned;
  return reply;
}

}  // namespace makegood::kafka
