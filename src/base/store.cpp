#include "makegood/spi/store.hpp"

#include "base/texts.hpp"

namespace makegood {
namespace {

constexpr Texts<ParkedState, ParkedState::done> parked_states{"waiting", "held", "dead", "quarantined", "done"};
constexpr Texts<RequestKind, RequestKind::go_on> request_kinds{
    "replay",  "quarantine", "release",        "rewind",    "pause",    "resume", "unblock",
    "history", "cancel",     "cancel_message", "configure", "annotate", "go_on"};

}  // namespace

std::string_view to_string(ParkedState state) { return parked_states.of(state); }
std::optional<ParkedState> parked_state_from(std::string_view text) { return parked_states.find(text); }

std::string_view to_string(RequestKind kind) { return request_kinds.of(kind); }
std::optional<RequestKind> request_kind_from(std::string_view text) { return request_kinds.find(text); }

}  // namespace makegood
