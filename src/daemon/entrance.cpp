#include "daemon/entrance.hpp"

#include "daemon/door.hpp"

namespace makegood::daemon {
namespace {

/// For the user whose process this is, and root.
bool open_socket(server::Server& server, const Result<DoorFiles>& files, observe::Log& log) {
  const auto opened = files ? server.open_socket(files->socket) : Result<>(files.error());
  if (!opened) log.write(LogLevel::warning, "no socket", {{"because", opened.error().message}});
  if (opened) log.write(LogLevel::info, "door", {{"socket", files->socket}});
  return opened.has_value();
}

bool admit_token(server::Server& server, const std::string& file, observe::Log& log) {
  auto token = kept_token(file);
  if (!token) log.write(LogLevel::warning, "no token", {{"because", token.error().message}});
  if (!token) return false;
  server.admit(*std::move(token));
  log.write(LogLevel::info, "door", {{"token_file", file}});
  return true;
}

std::string tell_open_door(observe::Log& log) {
  std::string way_in = "everybody on this machine may do everything";
  log.write(LogLevel::warning, "door", {{"what", way_in + ", because server.open_on_loopback is set"}});
  return way_in;
}

}  // namespace

std::string open_entrance(server::Server& server, const EntranceRules& rules, const config::Environment& environment,
                          observe::Log& log) {
  const auto address = server::parse_address(server.address());
  const auto files = make_door(door_folders(rules.folder, environment), *address);
  // Without it others may still have tokens, so it is no reason to end.
  std::string way_in = open_socket(server, files, log) ? "socket " + files->socket : std::string();
  if (!address->is_loopback) return way_in;
  if (rules.is_open_on_loopback && !rules.has_tokens) return tell_open_door(log);
  return files && admit_token(server, files->token, log) ? "token in " + files->token : way_in;
}

}  // namespace makegood::daemon
