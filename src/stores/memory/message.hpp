// From what a producer hands in to the row of the log.
#pragma once

#include "makegood/id.hpp"
#include "makegood/message.hpp"

namespace makegood::memory {

std::shared_ptr<Message> new_row(const NewMessage& message, Ids& ids, TimePoint now);
/// What makes two messages with one event id the same. When and under which trace it was enqueued does not count: a
/// producer that tries again does so later and under another trace.
bool has_same_content(const Message& left, const Message& right);

}  // namespace makegood::memory
