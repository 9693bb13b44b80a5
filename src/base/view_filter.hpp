// What the filters of an outbox's view ask of one message: the same in every store.
#pragma once

#include <string_view>

#include "base/standing.hpp"
#include "makegood/spi/outbox_view.hpp"

namespace makegood {

/// How many rows one page of messages may look at: a search for what is rare takes some ten milliseconds a page, and
/// whoever asks can stop between two of them.
inline constexpr std::size_t looked_max = 20'000;

/// As a route matches, but nothing and `*` alone mean every topic, those on which Makegood tells of itself too.
bool is_wanted_topic(std::string_view pattern, std::string_view topic);
/// All but state and time.
bool is_wanted(const MessageFilter& filter, const MessageHead& head, std::string_view event_id);
bool is_wanted_time(const MessageFilter& filter, TimePoint created_at);

}  // namespace makegood
