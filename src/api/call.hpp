// One call of the REST interface and its answer, without the socket it came by.
//
// The command line makes the same calls: on a server's URL they travel over HTTP, on a store's URL they are answered in
// the same process. So there is one set of words, one form of answers and one place that decides.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/result.hpp"

namespace makegood::api {

struct Call {
  std::string method = "GET";
  std::string path;        ///< As it came: percent-encoded, without the query.
  std::string query = {};  ///< Likewise, without the `?`.
  std::string content_type = {};
  std::string body = {};
  std::string operator_name = {};  ///< Kept with every request that this call makes.
  std::string traceparent = {};    ///< Of the call itself: for messages that name none.
  std::string tracestate = {};
  std::string idempotency_key = {};  ///< As the header has it: quoted or bare.
  std::string callback_token = {};   ///< Of a participant that answers later.
  bool sees_contents = true;         ///< Payloads, bodies and headers of messages are for operators.

  /// Of a call that asks again for what was not there yet.
  struct Waiting {
    MonotonicTime until;
    Duration patience;
  };
  std::optional<Waiting> waiting = {};
};

/// There is no answer yet: this call, a moment later, has it or says the same again.
struct Later {
  Call call;
  Duration in;
};

struct Answer {
  int status = 200;
  std::string content_type = "application/json";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::shared_ptr<const Later> later = {};  ///< Null: this is the answer.
};

/// application/problem+json: `type`, `title`, `status`, `detail` (the error's sentence), `code`, `retryable`. Never the
/// diagnostics.
Answer problem(const Error& error);
/// With a status of its own, where the code alone does not tell: 405, 413, 415.
Answer problem(int status, const Error& error);

}  // namespace makegood::api
