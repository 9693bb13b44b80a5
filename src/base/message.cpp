#include "makegood/message.hpp"

namespace makegood {

std::size_t bytes_of(const Message& message) { return sizeof(Message) + message.text_bytes; }

}  // namespace makegood
