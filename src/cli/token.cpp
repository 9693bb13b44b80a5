// makegood token: the secret of the daemon that this user runs on this machine, for programs that are not makegood.
#include <fmt/format.h>

#include <algorithm>

#include "cli/client_http.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"
#include "daemon/door.hpp"

namespace makegood::cli {
namespace {

Result<std::string> url_of(const Program& program, const config::Environment& environment) {
  if (!program.server_url.empty()) return program.server_url;
  const auto found = std::ranges::find(environment, "MAKEGOOD_SERVER", &std::pair<std::string, std::string>::first);
  if (found != environment.end() && !found->second.empty()) return found->second;
  return "http://" + MAKEGOOD_TRY(load_config(program)).server.listen;
}

Result<> print_token(const Program& program) {
  const config::Environment environment = config::process_environment();
  const std::string url = MAKEGOOD_TRY(url_of(program, environment));
  const auto address = daemon::local_address_in(url);
  if (!address) {
    return Error{Errc::invalid, fmt::format("{} is not on this machine's loopback; its tokens are those that "
                                            "server.token_file or MAKEGOOD_TOKENS of its daemon name.",
                                            config::printable(url))};
  }
  for (const std::string& folder : door_folders_of(program, environment)) {
    if (const auto token = daemon::read_token(daemon::door_files(folder, *address).token)) {
      fmt::print("{}\n", *token);
      return {};
    }
  }
  return Error{Errc::not_found, fmt::format("There is no token for {} that this user may read: start `makegood serve` "
                                            "there, or ask who runs it.",
                                            config::printable(url))};
}

}  // namespace

void add_token(CLI::App& app, Program& program) {
  CLI::App& verb = *app.add_subcommand("token", "Print the token of the daemon that this user runs on this machine");
  add_config_flags(verb, program);
  verb.add_option("--server", program.server_url, "The server, default http://127.0.0.1:7700")->type_name("URL");
  verb.footer(
      "For curl and others: curl -H \"Authorization: Bearer $(makegood token)\" http://127.0.0.1:7700/api/status\n"
      "The commands of makegood find the daemon's socket, or this token, by themselves.");
  run(verb, program, [&program] { return print_token(program); });
}

}  // namespace makegood::cli
