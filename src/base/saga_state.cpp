#include <utility>

#include "base/texts.hpp"
#include "makegood/events.hpp"
#include "makegood/observe.hpp"
#include "makegood/spi/saga_store.hpp"

namespace makegood {
namespace {

constexpr Texts<SagaState, SagaState::cancelled> state_texts{"pending", "running",      "waiting",   "paused",
                                                             "manual",  "compensating", "completed", "compensated",
                                                             "failed",  "cancelled"};

constexpr Texts<SagaNews::Kind, SagaNews::Kind::unverified> news_texts{
    "started",     "step_ended", "compensating", "manual",   "completed",
    "compensated", "failed",     "cancelled",    "replayed", "unverified"};

}  // namespace

std::string_view to_string(SagaNews::Kind kind) { return news_texts.of(kind); }
std::string_view to_string(SagaState state) { return state_texts.of(state); }
std::optional<SagaState> saga_state_from(std::string_view text) { return state_texts.find(text); }

bool has_ended(SagaState state) {
  switch (state) {
    case SagaState::completed:
    case SagaState::compensated:
    case SagaState::failed:
    case SagaState::cancelled:
      return true;
    case SagaState::pending:
    case SagaState::running:
    case SagaState::waiting:
    case SagaState::paused:
    case SagaState::manual:
    case SagaState::compensating:
      return false;
  }
  std::unreachable();
}

bool is_saga_start(std::string_view topic) { return !is_event_topic(topic); }

}  // namespace makegood
