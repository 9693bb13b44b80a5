#include "makegood/spi/outbox_view.hpp"

#include "base/texts.hpp"

namespace makegood {
namespace {

constexpr Texts<MessageState, MessageState::quarantined> message_states{"pending", "leased", "done", "dead",
                                                                        "quarantined"};

}  // namespace

std::string_view to_string(MessageState state) { return message_states.of(state); }
std::optional<MessageState> message_state_from(std::string_view text) { return message_states.find(text); }

}  // namespace makegood
