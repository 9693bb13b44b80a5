// Deliveries over HTTP: webhooks, CloudEvents, signatures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/destination.hpp"
#include "makegood/result.hpp"
#include "makegood/spi/transport.hpp"

namespace makegood {

/// What a destination `http:<name>` needs, kept as JSON in `Destination::settings`. A secret is never here, only where
/// it is: `file:/run/secrets/token` or `env:MAKEGOOD_SECRET_BILLING`; it is read when it is used.
struct HttpSettings {
  enum class Format : std::uint8_t { binary, structured };  ///< Of CloudEvents 1.0.
  enum class Version : std::uint8_t { automatic, http1, http2 };

  std::string url = {};
  /// Instead of a URL: topics `http:<url>` lead here, if their URL begins with one of these.
  std::vector<std::string> raw_prefixes = {};
  std::map<std::string, std::string> headers = {};         ///< Sent as they are.
  std::map<std::string, std::string> secret_headers = {};  ///< Name → where the value is. `Authorization`, for example.
  std::vector<std::string> signing_keys = {};  ///< Where they are (`whsec_…`, `whsk_…`); each signs, for rotation.
  Format format = Format::binary;
  Version version = Version::automatic;
  std::string ca_file = {};             ///< Instead of the system's.
  std::string client_certificate = {};  ///< A PEM file …
  std::string client_key = {};          ///< … and where its key is, a PEM file too.
  /// What a status means here, before the usual table: `404` or `4xx` → `ok`, `retry`, `fail` or `disable`.
  std::map<std::string, std::string> answers = {};
};

std::string encode(const HttpSettings& settings);
/// Every mistake in one error: names, values and what is allowed.
Result<HttpSettings> decode_http_settings(std::string_view json);
/// A change of settings: what the JSON names is set (of headers, secret headers and answers each name by itself), what
/// it leaves out stays. A URL takes the place of raw prefixes, and they of it.
Result<HttpSettings> decode_http_settings(std::string_view json, HttpSettings present);
/// References to secrets that one has and the other has not any more: `signing_keys file:/…`, `secret_headers.X-Key`.
std::vector<std::string> lost_secrets(const HttpSettings& from, const HttpSettings& to);
/// `http:<name>` with these settings; refused with every mistake named.
Result<Destination> http_destination(const std::string& name, const HttpSettings& settings, Destination others = {});

/// What belongs to the process; in its configuration each is the key `http.<name>`. Addresses that no destination may
/// have (link-local, metadata services) cannot be allowed.
struct HttpOptions {
  std::size_t threads = 1;
  std::size_t connections_max = 4096;
  Duration connect_timeout = std::chrono::seconds(5);
  std::size_t response_bytes_max = std::size_t{64} << 10;
  std::size_t slow_bytes_per_second = 64;          ///< An answer slower than this, for `slow_after`, is given up.
  Duration slow_after = std::chrono::seconds(10);  ///< A second at least.
  /// For destinations of tenants: networks that are allowed although they are private (`10.20.0.0/16`), and ports.
  std::vector<std::string> tenant_networks = {};
  std::vector<std::uint16_t> tenant_ports = {80, 443};
  /// References to secrets that destinations of tenants may use, by their beginning; `{tenant}` stands for the tenant
  /// (`file:/run/secrets/tenants/{tenant}/`). Without it each tenant could have the secrets of all others sent to
  /// itself.
  std::vector<std::string> tenant_secrets = {};
  std::vector<std::string> dns_servers = {};  ///< `127.0.0.1:5353`. Empty: those of the system.
  /// Where secrets of the operator's destinations may be, by the beginning of their references (`file:/etc/shop/keys`,
  /// `env:SHOP_`), beside `file:/run/secrets`, `file:$CREDENTIALS_DIRECTORY` and `env:MAKEGOOD_SECRET_`. Others are
  /// refused: whoever may register a destination could have any file and variable of the process sent to himself.
  std::vector<std::string> secret_places = {};
  /// Told once for each file of a secret that everybody on the machine may read. Called from any thread.
  std::function<void(std::string_view sentence)> warn = {};
};

/// What new_http_transport would refuse, before anything is opened.
Result<> check_http_options(const HttpOptions& options);
/// Whether a process with these options would send there at all: what stands in the URL itself, and a tenant's secrets.
/// The addresses of a name are looked at only when it is sent to. The error names the setting that would allow it.
Result<> check_http_destination(const Destination& destination, const HttpOptions& options);

/// Sends to destinations `http:…`. Refused when an option is wrong, with what is allowed.
Result<std::unique_ptr<Transport>> new_http_transport(HttpOptions options = {}, const Clock& clock = system_clock());

}  // namespace makegood
