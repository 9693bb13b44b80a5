// Who is at the other end of a Unix socket, as the system knows it.
#pragma once

#include <optional>
#include <string>

namespace makegood::server {

/// The name of the user, or `uid 1000` where it has none. Nothing: it is neither ours nor root, or cannot be told.
std::optional<std::string> trusted_user_at(int socket);

}  // namespace makegood::server
