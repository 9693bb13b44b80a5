// From a row of the log to a Message.
#pragma once

#include "makegood/message.hpp"
#include "stores/sqlite/statement.hpp"

namespace makegood::sqlite {

/// The columns of read_number, read_beyond and read_kept. Two allocations, whatever the message holds.
MessagePtr read_message(const Rows& row);

}  // namespace makegood::sqlite
