// The address that a participant calls back tells which attempt it answers, and is signed: whoever has it may answer
// this one attempt, and nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace makegood {

/// One attempt at a step of an execution.
struct SagaCallback {
  std::string tenant_id;
  std::string execution;  ///< Its id.
  std::string step;
  std::string direction;  ///< `action`, `compensation` or `check`.
  std::uint32_t round = 0;
  std::uint32_t attempt = 0;
  bool operator==(const SagaCallback&) const = default;
};

/// For `…/executions/{execution}/steps/{step}/answer?token=`: letters, digits, `.`, `-` and `_`. `key` is the store's
/// (`SagaView::callback_key`).
std::string sign_callback(std::string_view key, const SagaCallback& callback);
/// What the token speaks of; nothing: it was not signed with this key for this execution and step.
std::optional<SagaCallback> verify_callback(std::string_view key, std::string_view token, std::string_view execution,
                                            std::string_view step);
/// Where the attempt is answered, below the URL that participants reach us by.
std::string callback_path(std::string_view key, const SagaCallback& callback);

}  // namespace makegood
