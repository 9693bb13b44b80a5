// What views of an outbox look like in answers.
#pragma once

#include "api/json_out.hpp"
#include "makegood/spi/outbox_view.hpp"

namespace makegood::api {

// Members, without the braces around them.
void put_summary(Writer& writer, const MessageSummary& summary);
/// `is_hidden`: without its payload, body and headers.
void put_content(Writer& writer, const Message& message, bool is_hidden);
void put_parked(Writer& writer, const Parked& parked);
void put_dead(Writer& writer, const DeadLetter& letter);
void put_request(Writer& writer, const RequestView& request);
void put_attempt(Writer& writer, const AttemptNote& note);
void put_delivery(Writer& writer, const DeliveryView& delivery);
void put_group(Writer& writer, const DeadGroup& group);
void put_side(Writer& writer, const SideLane& side, Sequence counter);
void put_backlog(Writer& writer, const DestinationBacklog& backlog, Sequence lag);

/// The side lane of the whole destination; null: it is carried by the main lane.
const SideLane* side_of(const Position& position, std::string_view destination);
/// In numbers of the log, whosever they are: up to the counter, or to where a replay of history ends.
Sequence lag_of(const SideLane& side, Sequence counter);
std::size_t under_way_count(const Position& position);
/// Somebody sends.
bool is_owned(const LaneView& lane, TimePoint now);

}  // namespace makegood::api
