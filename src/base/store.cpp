#include "makegood/store.hpp"

#include <utility>

namespace makegood {

std::string_view to_string(ParkedState state) {
  switch (state) {
    case ParkedState::waiting:
      return "waiting";
    case ParkedState::held:
      return "held";
    case ParkedState::dead:
      return "dead";
    case ParkedState::quarantined:
      return "quarantined";
    case ParkedState::done:
      return "done";
  }
  std::unreachable();
}

std::optional<ParkedState> parked_state_from(std::string_view text) {
  for (const auto state :
       {ParkedState::waiting, ParkedState::held, ParkedState::dead, ParkedState::quarantined, ParkedState::done}) {
    if (to_string(state) == text) return state;
  }
  return std::nullopt;
}

std::string_view to_string(RequestKind kind) {
  switch (kind) {
    case RequestKind::replay:
      return "replay";
    case RequestKind::quarantine:
      return "quarantine";
    case RequestKind::release:
      return "release";
    case RequestKind::rewind:
      return "rewind";
    case RequestKind::pause:
      return "pause";
    case RequestKind::resume:
      return "resume";
    case RequestKind::unblock:
      return "unblock";
    case RequestKind::history:
      return "history";
    case RequestKind::cancel:
      return "cancel";
    case RequestKind::configure:
      return "configure";
    case RequestKind::annotate:
      return "annotate";
  }
  std::unreachable();
}

std::optional<RequestKind> request_kind_from(std::string_view text) {
  using enum RequestKind;
  for (const auto kind :
       {replay, quarantine, release, rewind, pause, resume, unblock, history, cancel, configure, annotate}) {
    if (to_string(kind) == text) return kind;
  }
  return std::nullopt;
}

}  // namespace makegood
