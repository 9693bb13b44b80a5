// The door of a daemon for this machine: a Unix socket and a token, two files that are named by its address.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/environment.hpp"
#include "makegood/result.hpp"
#include "server/address.hpp"

namespace makegood::daemon {

struct DoorFiles {
  std::string socket;
  std::string token;
};

/// Where a door may be, the best place first: the folder that is configured, and no other; or /run/makegood,
/// $XDG_RUNTIME_DIR/makegood and /tmp/makegood-UID.
std::vector<std::string> door_folders(const std::string& configured, const config::Environment& environment);
/// `7700.sock` and `7700.token`. Other addresses than 127.0.0.1 have their host in the name, so that two daemons of one
/// user never meet; who listens everywhere is called at 127.0.0.1.
DoorFiles door_files(const std::string& folder, const server::Address& address);

/// For the daemon: the files in the first folder that is its own or can be made, with mode 0700.
Result<DoorFiles> make_door(const std::vector<std::string>& folders, const server::Address& address);
/// The token in this file; made if there is none, or if others could have read it.
Result<std::string> kept_token(const std::string& file);

/// For a caller: how to get in at `http://127.0.0.1:7700`.
struct WayIn {
  std::string socket = {};  ///< Empty: there is none, or nobody answers there.
  std::string token = {};   ///< Empty: there is none for us.
};
WayIn find_way_in(const std::string& url, const std::vector<std::string>& folders);
/// Nothing: not the URL of a server on this machine.
std::optional<server::Address> local_address_in(const std::string& url);
/// Nothing: there is no such file, or it is not ours to read.
std::optional<std::string> read_token(const std::string& file);

}  // namespace makegood::daemon
