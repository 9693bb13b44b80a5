// A delivery with everything that a message can have, and what is sent for it.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "makegood/http.hpp"
#include "tests/support/committed_message.hpp"
#include "tests/support/fake_clock.hpp"
#include "transports/http/request.hpp"

namespace makegood::http {

using testing_support::MessageTexts;

/// Owns what the views of the delivery point into.
struct SentMessage {
  explicit SentMessage(const MessageTexts& texts, Sequence sequence = 42, bool is_json = true) {
    // Not yet shared with anybody, so it may still be changed.
    auto message = std::const_pointer_cast<Message>(testing_support::committed_message(texts, sequence));
    message->is_json = is_json;
    message->created_at =
        std::chrono::sys_days(std::chrono::year(2024) / 2 / 29) + std::chrono::milliseconds(3'723'045);
    delivery = {.message = std::move(message),
                .destination = nullptr,
                .outbox = "shop_outbox",
                .attempt = 3,
                .ticket = 0,
                .incarnation = "7f3a"};
  }
  Delivery delivery;
};

inline TargetPtr target_of(const HttpSettings& settings, const std::string& tenant_id = {},
                           const HttpOptions& options = {.secret_places = {"env:MAKEGOOD_TEST_"}}) {
  const auto target =
      make_target(Destination{.name = "http:billing", .tenant_id = tenant_id, .settings = encode(settings)}, options);
  return target ? *target : nullptr;
}

/// By name in lower case. A name that is sent twice would be a mistake, so its values are joined.
inline std::map<std::string, std::string> headers_of(Request request) {
  std::map<std::string, std::string> headers;
  request.headers.for_each([&](const std::string& header) {
    const std::size_t colon = header.find(": ");
    std::string name = header.substr(0, colon);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    std::string& value = headers[name];
    value += (value.empty() ? "" : " AND ") + header.substr(colon + 2);
  });
  return headers;
}

inline std::map<std::string, std::string> headers_of(const Result<Request>& request) {
  return request ? headers_of(*request) : std::map<std::string, std::string>{{"error", request.error().message}};
}

}  // namespace makegood::http
