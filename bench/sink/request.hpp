// The little of HTTP/1.1 that the sink reads.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>

namespace makegood::bench {

struct SinkRequest {
  std::string_view path;
  std::string_view head;  ///< The request line and the headers.
  std::size_t size = 0;   ///< With its body.
};

/// The request at the front of these bytes, once it is there as a whole. Bodies have a Content-Length or none.
std::optional<SinkRequest> first_request(std::string_view bytes);

/// Of the event that it carries: `webhook-id`, else `ce-id`, else `Idempotency-Key`.
std::string_view event_id_of(const SinkRequest& request);

/// How a request is answered. Its path tells: `/after/20` after 20 ms, `/hang` never, all others at once; `/noted`
/// notes when it arrived, `/arrivals` answers what was noted. A tail (`/hang/17`) changes nothing.
struct Manner {
  enum class Kind { at_once, after, never, arrivals };
  Kind kind = Kind::at_once;
  std::chrono::milliseconds delay = {};
  bool is_noted = false;
};
Manner manner_of(std::string_view path);

}  // namespace makegood::bench
