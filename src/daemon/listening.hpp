// Whose process listens at an address of this machine, as the kernel tells.
#pragma once

#include <sys/types.h>

#include <string_view>

#include "server/address.hpp"

namespace makegood::daemon {

/// Whether a process of this user listens there, and none of another.
bool is_listening(const server::Address& address, uid_t user);
/// The same by the text of /proc/net/tcp or /proc/net/tcp6; `listens` is left alone when it has none of this port.
bool has_only_listeners_of(std::string_view table, std::uint16_t port, uid_t user, bool& listens);

}  // namespace makegood::daemon
