// Ended deliveries for the tests of this folder.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "makegood/observe.hpp"
#include "tests/support/committed_message.hpp"

namespace makegood::observe {

inline EndedAttempt ended(const std::string& topic, Fate fate, std::string code = {}, std::string detail = {}) {
  return {.message = testing_support::committed_message(
              {.event_id = "event-1", .tenant_id = "acme", .topic = topic, .content = R"({"card":"4111"})"}, 42),
          .destination = std::make_shared<const Destination>(Destination{.name = "fn:billing"}),
          .attempt = 3,
          .fate = fate,
          .code = std::move(code),
          .detail = std::move(detail),
          .since_created = std::chrono::milliseconds(20),
          .since_sent = std::chrono::milliseconds(2)};
}

inline EndedAttempt of_tenant(const std::string& tenant_id, EndedAttempt delivery) {
  auto texts = testing_support::texts_of(*delivery.message);
  texts.tenant_id = tenant_id;
  delivery.message = testing_support::committed_message(texts, 42);
  return delivery;
}

}  // namespace makegood::observe
