// What a proxy is told: where it listens, whom it asks, and what each route wants of a key.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/described.hpp"
#include "makegood/idempotency.hpp"

namespace makegood::proxy {

/// What becomes of a key after an answer, or without one.
enum class Fate : std::uint8_t {
  store,    ///< The answer is kept and given again.
  release,  ///< The next request with the key is forwarded.
  hold,     ///< The key is in doubt until somebody resolves it.
};
inline constexpr auto fate_words = std::to_array<std::string_view>({"store", "release", "hold"});
std::string_view to_string(Fate fate);

// Whose key it is. A stored answer is only given to the one who has asked for it.

/// Whoever has the same values of these headers.
struct CredentialHeaders {
  std::vector<std::string> headers = {};
  std::string secret_file = {};
  std::string secret = {};  ///< Of the file; filled when it is read.
};
/// The subject of a token that was verified.
struct JwtSubject {
  enum class Algorithm : std::uint8_t { hs256, rs256 };
  std::string header = "Authorization";
  Algorithm algorithm = Algorithm::rs256;
  std::string key_file = {};
  std::string issuer = {};
  std::string audience = {};
  std::string key = {};  ///< Of the file; filled when it is read.
};
inline constexpr auto algorithm_words = std::to_array<std::string_view>({"HS256", "RS256"});
/// Whom a gateway in front of us has recognised.
struct GatewayHeader {
  std::string header = {};
  std::vector<std::string> from = {};  ///< Addresses or networks; nobody else is believed.
};
/// Everybody is the same.
struct Nobody {};
using PrincipalRule = std::variant<std::monostate, Nobody, CredentialHeaders, JwtSubject, GatewayHeader>;

struct Route {
  std::string path = {};  ///< `*` is one segment, `**` at the end all that follow.
  std::vector<std::string> methods = {"POST", "PATCH"};
  bool is_key_required = false;
  PrincipalRule principal = {};
  Duration timeout = std::chrono::seconds(30);
  Duration ttl = std::chrono::hours(24);
  Duration lease = std::chrono::seconds(30);
  /// By status, `timeout`, `cut` or `crash`; what is not in it goes by the usual table.
  std::map<std::string, Fate, std::less<>> answers = {};
};

struct ProxyOptions {
  std::string listen = "127.0.0.1:7780";
  std::string upstream = {};
  std::string admin = {};       ///< Health and metrics on an address of their own; empty: nowhere.
  std::string admin_path = {};  ///< Or below this path of the listening address; empty: nowhere.
  std::string tenant = "default";
  std::string seal_file = {};
  std::shared_ptr<const Seal> seal = {};  ///< Of the file; null: answers are stored as they are.
  PrincipalRule principal = {};           ///< Of routes that name none.
  std::vector<Route> routes = {};

  std::size_t connections_max = 8192;
  std::size_t header_bytes_max = std::size_t{16} << 10;
  std::size_t body_bytes_max = std::size_t{1} << 20;
  std::size_t result_bytes_max = std::size_t{64} << 10;
  std::size_t answer_bytes_max = std::size_t{8} << 20;
  Duration header_timeout = std::chrono::seconds(10);
  Duration body_timeout = std::chrono::seconds(30);
  Duration idle_timeout = std::chrono::seconds(30);
  Duration connect_timeout = std::chrono::seconds(5);
  Duration upstream_idle_timeout = std::chrono::seconds(1);
  Duration silence_timeout = std::chrono::seconds(60);
  Duration store_patience = std::chrono::seconds(5);
  bool has_access_log = false;
};

inline constexpr double day_ms = 86'400'000;

template <SettingsOf<CredentialHeaders> Rule>
void describe(Rule& rule, auto& visit) {
  visit(
      "headers", rule.headers,
      About{"Requests with the same values of these headers are of one principal; a rotated token is another.", {}, 8});
  visit("secret_file", rule.secret_file,
        About{"At least 16 bytes; only an HMAC of the values under it is kept. All proxies of a store need the same."});
}

template <SettingsOf<JwtSubject> Rule>
void describe(Rule& rule, auto& visit) {
  visit("header", rule.header, About{"Where the token is, with `Bearer` before it or without."});
  visit.choice("algorithm", rule.algorithm, algorithm_words, About{"No other is accepted."});
  visit("key_file", rule.key_file, About{"The secret of HS256, or the public key of RS256 in PEM."});
  visit("issuer", rule.issuer, About{"What `iss` must be; not checked if it is left out."});
  visit("audience", rule.audience, About{"What `aud` must have; not checked if it is left out."});
}

template <SettingsOf<GatewayHeader> Rule>
void describe(Rule& rule, auto& visit) {
  visit("header", rule.header, About{"It names whom the gateway has recognised."});
  visit("from", rule.from, About{"The gateway's addresses or networks, as in 10.0.0.0/8.", {}, 64});
}

/// Without its principal and its table of answers, which have forms of their own.
template <SettingsOf<Route> Settings>
void describe(Settings& route, auto& visit) {
  visit("path", route.path, About{"`*` is one segment, `**` at the end all that follow. The first that fits counts."});
  visit("methods", route.methods, About{"Of requests that may have a key.", {}, 16});
  visit("required", route.is_key_required, About{"A request without a key is refused with 400."});
  visit("timeout", route.timeout, About{"Of the upstream, from the request to its whole answer.", {1, day_ms}});
  visit("ttl", route.ttl,
        About{"How long a key is remembered, from the claim and again from the answer.", {1, 3.2e11}});
  visit("lease", route.lease,
        About{"How long a proxy may be silent before its keys are in doubt; renewed meanwhile.", {1, day_ms}});
}

/// Without its principal and its routes.
template <SettingsOf<ProxyOptions> Settings>
void describe(Settings& proxy, auto& visit) {
  visit("listen", proxy.listen, About{"The address of clients; a number and a port."});
  visit("upstream", proxy.upstream, About{"The service, as in `http://127.0.0.1:8080`."});
  visit("admin", proxy.admin, About{"An address for `/healthz`, `/readyz` and `/metrics`."});
  visit("admin_path", proxy.admin_path, About{"Or a path of `listen` below which they are, as in `/-/makegood`."});
  visit("tenant", proxy.tenant, About{"Of all keys."});
  visit("seal_file", proxy.seal_file,
        About{"Stored answers are encrypted: lines `ID KEY` of 64 hexadecimal digits; the first seals, all open."});
  visit("connections_max", proxy.connections_max, About{"Of clients.", {1, 1e6}});
  visit("header_bytes_max", proxy.header_bytes_max,
        About{"Of a request's or an answer's head; 431 above it.", {1024, 1e6}});
  visit("body_bytes_max", proxy.body_bytes_max,
        About{"Of a request with a key, which is read whole; 413 above it.", {0, 1e9}});
  visit("result_bytes_max", proxy.result_bytes_max,
        About{"Of an answer that is stored; above it a replay says `result_truncated`.", {0, 1e9}});
  visit("answer_bytes_max", proxy.answer_bytes_max,
        About{"Of an answer that is read whole before it is passed on; what is longer is stored as truncated first.",
              {0, 1e9}});
  visit("header_timeout", proxy.header_timeout, About{"For the whole head of a request.", {1, day_ms}});
  visit("body_timeout", proxy.body_timeout, About{"For the whole body of a request with a key.", {1, day_ms}});
  visit("idle_timeout", proxy.idle_timeout,
        About{"Of a client's connection without a request or a byte.", {1, day_ms}});
  visit("connect_timeout", proxy.connect_timeout, About{"Of a new connection to the upstream.", {1, day_ms}});
  visit("upstream_idle_timeout", proxy.upstream_idle_timeout,
        About{"How long an idle connection to the upstream is kept; less than the upstream keeps it. 0 = never.",
              {0, day_ms}});
  visit("silence_timeout", proxy.silence_timeout,
        About{"How long the upstream may send nothing to a request without a key.", {1, day_ms}});
  visit("store_patience", proxy.store_patience, About{"How long the store is asked again before 503.", {0, day_ms}});
  visit("access_log", proxy.has_access_log, About{"A line for each request."});
}

/// The files that hold secrets, each once.
std::vector<std::string> secret_files(const ProxyOptions& options);

/// Errc::config_invalid: what does not fit together, or a file that cannot be read. Fills in the secrets, and the
/// principal of routes that name none.
Result<ProxyOptions> checked(ProxyOptions options);

}  // namespace makegood::proxy
