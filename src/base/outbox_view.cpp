#include "makegood/outbox_view.hpp"

#include <utility>

namespace makegood {

std::string_view to_string(MessageState state) {
  switch (state) {
    case MessageState::pending:
      return "pending";
    case MessageState::leased:
      return "leased";
    case MessageState::done:
      return "done";
    case MessageState::dead:
      return "dead";
    case MessageState::quarantined:
      return "quarantined";
  }
  std::unreachable();
}

std::optional<MessageState> message_state_from(std::string_view text) {
  using enum MessageState;
  for (const auto state : {pending, leased, done, dead, quarantined}) {
    if (to_string(state) == text) return state;
  }
  return std::nullopt;
}

}  // namespace makegood
