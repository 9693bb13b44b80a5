// What a row of a saga's log asks for.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "core/saga/steering.hpp"

namespace makegood::core {

/// Topics of requests that are no start begin so; no definition may.
inline constexpr std::string_view request_prefix = "makegood.saga.";
inline constexpr std::string_view answer_topic = "makegood.saga.answer";
/// As the outcome of an answer: there is none yet.
inline constexpr std::string_view progress_word = "progress";
inline constexpr std::string_view event_topic = "makegood.saga.event";
inline constexpr std::string_view define_topic = "makegood.saga.define";

/// Somebody starts an execution.
struct StartAsked {
  std::int64_t version = 0;                ///< Of its definition; 0: the newest.
  std::optional<SagaOnBusy> on_busy = {};  ///< Nothing: as the definition says.
};
/// Somebody has put a new version of a definition.
struct DefinitionPut {
  std::string name;
};
/// An answer or a wish about an execution of the row's tenant.
struct AboutExecution {
  std::string id;
  std::variant<SagaAnswer, SagaRequest> what;
};
/// A row that nobody understands: it is passed, and told.
struct NotUnderstood {
  std::string why;
};
using LogRequest = std::variant<StartAsked, DefinitionPut, AboutExecution, NotUnderstood>;

LogRequest read_request(const Message& row);
/// What the row of a start says.
StartAsked read_start(const Message& row);

/// The rows that others append. Tenant and trace are the caller's to set.
NewMessage answer_row(std::string_view id, const SagaAnswer& answer);
NewMessage request_row(std::string_view id, const SagaRequest& request);

}  // namespace makegood::core
