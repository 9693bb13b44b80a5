// What happened, as a server-sent event. Never a payload.
#pragma once

#include <string>
#include <string_view>

#include "makegood/clock.hpp"
#include "makegood/observe.hpp"
#include "server/event_filter.hpp"

namespace makegood::server {

EventKind kind_of(Fate fate);
/// One of a step is told apart: there are many of them.
EventKind kind_of(SagaNews::Kind kind);
/// What changed nothing is told apart: there can be any number of it.
EventKind kind_of(api::KeyNews::Kind kind);

std::string attempt_event(std::string_view outbox, const EndedAttempt& delivery, TimePoint at);
std::string news_event(std::string_view outbox, const LaneNews& news, TimePoint at);
std::string source_event(std::string_view outbox, std::string_view source, const SourceNews& news, TimePoint at);
std::string key_event(const api::KeyNews& news, TimePoint at);
std::string saga_event(std::string_view log, const SagaNews& news, TimePoint at);
std::string ownership_event(std::string_view outbox, std::string_view what, std::string_view owner, TimePoint at);
std::string alarm_event(std::string_view outbox, const Error& error, TimePoint at);
/// So many events were lost, because the reader was too slow.
std::string missed_event(std::size_t count);
/// Keeps proxies and readers from taking a quiet stream for a dead one.
inline constexpr std::string_view keep_alive_comment = ": still here\n\n";

}  // namespace makegood::server
