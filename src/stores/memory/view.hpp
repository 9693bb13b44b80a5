// The questions of operators, answered from one state.
#pragma once

#include "base/standing.hpp"
#include "stores/memory/state.hpp"

namespace makegood::memory {

Standing standing_of(const State& state);
RequestView request_view(std::int64_t id, const RequestRow& row);

MessagePage list_messages(const State& state, const MessageFilter& filter, Sequence before, std::size_t rows_max);
/// The message must be there.
MessageView tell_story(const State& state, const MessagePtr& message);
Backlog count_backlog(const State& state);

}  // namespace makegood::memory
