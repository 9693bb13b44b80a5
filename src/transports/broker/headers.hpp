// What a message is accompanied by on its way through a broker: an event of CloudEvents in binary mode, what else is
// known of the delivery, and the headers that its producer gave it.
#pragma once

#include <functional>
#include <string_view>

#include "makegood/delivery.hpp"
#include "makegood/result.hpp"

namespace makegood::broker {

using AddHeader = std::function<void(std::string_view name, std::string_view value)>;

/// Every value as it is; a protocol that cannot carry each byte encodes it. The attributes of the event have this
/// prefix
/// (`ce-`, `ce_`, `cloudEvents_`; empty: the protocol has no binding, and they are left out), the others are
/// `event_id`, `tenant_id`, `topic`, `dispatch_key`, `sequence`, `envelope_id`, `outbox`, `incarnation`, `attempt`,
/// `traceparent` and `tracestate`. A producer's header of one of these names, of ours, is left out. Errc::invalid if
/// the producer's cannot be sent.
Result<> for_each_header(const Delivery& delivery, std::string_view event_prefix, const AddHeader& add);

}  // namespace makegood::broker
