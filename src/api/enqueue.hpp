// The enqueue route in two halves, so that a server can put the messages of many calls into one commit between them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/api.hpp"
#include "api/call.hpp"
#include "makegood/message.hpp"

namespace makegood::api {

struct EnqueueCall {
  std::string outbox;
  std::vector<NewMessage> messages;
  bool is_bulk = false;
  bool has_key = false;  ///< An Idempotency-Key: other content under it is refused.
};

/// Nothing: the call is not an enqueue, or its body is no JSON; then Api::handle answers. Every mistake of the body in
/// one error; then what the rules of the api_context say. Whether there is such an outbox is not asked here.
std::optional<Result<EnqueueCall>> decode_enqueue(const Call& call, const ApiContext& api_context);
Answer enqueue_answer(const EnqueueCall& call, const Result<std::vector<Enqueued>>& enqueued);

}  // namespace makegood::api
