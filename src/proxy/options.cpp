#include "proxy/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "base/mistakes.hpp"
#include "proxy/jwt.hpp"
#include "proxy/principal.hpp"
#include "proxy/upstream_address.hpp"

namespace makegood::proxy {
namespace {

constexpr std::size_t secret_bytes_min = 16;
constexpr std::size_t path_bytes_max = 180;  // So that the scope of a key has room for who asks.
constexpr auto never_keyed = std::to_array<std::string_view>({"GET", "HEAD", "OPTIONS", "TRACE", "CONNECT"});

Error wrong(std::string sentence) { return {Errc::config_invalid, std::move(sentence)}; }

Result<std::string> text_of_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream) return wrong(fmt::format("{} cannot be read.", file));
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

Result<> fill_in(CredentialHeaders& rule) {
  if (rule.headers.empty()) return wrong("principal.headers is empty; name the headers that have the credentials.");
  if (rule.secret_file.empty()) return wrong("principal.headers needs a secret_file with at least 16 bytes.");
  rule.secret = MAKEGOOD_TRY(text_of_file(rule.secret_file));
  if (rule.secret.size() >= secret_bytes_min) return {};
  return wrong(fmt::format("{} has less than 16 bytes; make one with: openssl rand -hex 32", rule.secret_file));
}

Result<> fill_in(JwtSubject& rule) {
  if (rule.key_file.empty()) return wrong("principal.jwt needs a key_file.");
  rule.key = MAKEGOOD_TRY(text_of_file(rule.key_file));
  if (rule.key.empty()) return wrong(fmt::format("{} is empty.", rule.key_file));
  return check_jwt_key(rule);
}

Result<> fill_in(const GatewayHeader& rule) {
  if (rule.header.empty()) return wrong("principal.gateway needs the header that the gateway writes.");
  if (rule.from.empty()) return wrong("principal.gateway needs the gateway's addresses in from.");
  for (const std::string& network : rule.from) MAKEGOOD_TRY(check_network(network));
  return {};
}

Result<> fill_in(const Nobody& /*rule*/) { return {}; }
Result<> fill_in(const std::monostate& /*rule*/) { return {}; }

Result<> check_path(const Route& route) {
  if (route.path.starts_with('/') && route.path.size() <= path_bytes_max) return {};
  return wrong(fmt::format("The path '{}' of a route must begin with a slash and have at most {} bytes.",
                           shown(route.path), path_bytes_max));
}

Result<> check_methods(const Route& route) {
  for (const std::string& method : route.methods) {
    if (std::ranges::find(never_keyed, method) == never_keyed.end() && !method.empty()) continue;
    return wrong(fmt::format("{} of the route {} is never keyed: it has no effect to repeat.", method, route.path));
  }
  if (!route.methods.empty()) return {};
  return wrong(fmt::format("The route {} has no methods.", route.path));
}

bool is_status(const std::string& name) {
  return name.size() == 3 && name[0] >= '2' && name[0] <= '5' &&
         std::ranges::all_of(name, [](char digit) { return digit >= '0' && digit <= '9'; });
}

Result<> check_answers(const Route& route) {
  for (const auto& [name, fate] : route.answers) {
    const bool is_known = is_status(name) || name == "timeout" || name == "cut" || name == "crash";
    if (!is_known) return wrong(fmt::format("'{}' is no answer; write a status, timeout, cut or crash.", shown(name)));
    if (name == "401" || name == "403") {
      return wrong("401 and 403 are about who asks: they always release the key, and are never stored.");
    }
    if (name == "crash" && fate == Fate::store) {
      return wrong("After a crash there is nothing to store; write hold or release.");
    }
  }
  return {};
}

Result<> check_times(const Route& route) {
  // A key must live as long as its request may be under way, or its repetition would be a second one.
  if (route.ttl >= route.timeout + route.lease) return {};
  return wrong(fmt::format("The ttl of the route {} is shorter than its timeout and its lease together.", route.path));
}

Result<> check_route(Route& route) {
  MAKEGOOD_TRY(check_path(route));
  MAKEGOOD_TRY(check_methods(route));
  MAKEGOOD_TRY(check_answers(route));
  MAKEGOOD_TRY(check_times(route));
  if (std::holds_alternative<std::monostate>(route.principal)) {
    return wrong(fmt::format(
        "The route {} does not say whose its keys are. Name a principal (headers, jwt or gateway), or write "
        "principal: none if every client may get every stored answer.",
        route.path));
  }
  return std::visit([](auto& rule) { return fill_in(rule); }, route.principal);
}

/// Empty: whose keys they are is no secret.
std::string secret_file_of(const PrincipalRule& rule) {
  if (const auto* credentials = std::get_if<CredentialHeaders>(&rule)) return credentials->secret_file;
  const auto* token = std::get_if<JwtSubject>(&rule);
  const bool is_secret = token != nullptr && token->algorithm == JwtSubject::Algorithm::hs256;
  return is_secret ? token->key_file : std::string();
}

}  // namespace

std::vector<std::string> secret_files(const ProxyOptions& options) {
  std::vector<std::string> files = {options.seal_file, secret_file_of(options.principal)};
  for (const Route& route : options.routes) files.push_back(secret_file_of(route.principal));
  std::ranges::sort(files);
  const auto repeated = std::ranges::unique(files);
  files.erase(repeated.begin(), repeated.end());
  std::erase(files, std::string());
  return files;
}

Result<ProxyOptions> checked(ProxyOptions options) {
  MAKEGOOD_TRY(parse_upstream(options.upstream));
  if (!options.admin_path.empty() && (!options.admin_path.starts_with('/') || options.admin_path.ends_with('/'))) {
    return wrong("admin_path begins with a slash and does not end with one.");
  }
  if (!options.seal_file.empty()) options.seal = MAKEGOOD_TRY(read_seal(options.seal_file));
  for (Route& route : options.routes) {
    if (std::holds_alternative<std::monostate>(route.principal)) route.principal = options.principal;
    MAKEGOOD_TRY(check_route(route));
  }
  return options;
}

}  // namespace makegood::proxy
