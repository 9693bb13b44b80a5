// Everything a process can be told, with its defaults, and where each value came from.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/brokers.hpp"
#include "makegood/clock.hpp"
#include "makegood/destination.hpp"
#include "makegood/dispatcher.hpp"
#include "makegood/http.hpp"
#include "makegood/idempotency.hpp"
#include "makegood/saga.hpp"
#include "makegood/sqlite.hpp"
#include "makegood/telemetry.hpp"

namespace makegood::config {

/// Where a value was written.
struct Origin {
  enum class Kind { built_in, kubernetes, file, environment, flag };
  Kind kind = Kind::built_in;
  std::string name = {};  ///< The file, the variable or the flag.
  int line = 0;           ///< Of the file; 0 = the file as a whole.
  int column = 0;         ///< 0 = the line as a whole.
};
std::string to_string(const Origin& origin);

struct StoreConfig {
  std::string url = "sqlite:makegood.db";
  std::vector<std::string> outboxes = {DispatcherOptions{}.outbox};
  std::string environment = {};
};

/// Payloads of topics that match `pattern` follow the JSON Schema in `file`.
struct SchemaFile {
  std::string pattern;
  std::string file;
};

/// The defaults are those of the public structs, so that a program without a configuration behaves the same.
struct OutboxConfig {
  bool is_enabled = true;
  bool is_single_active = true;
  Duration lease = DispatcherOptions{}.lease;
  Duration poll_interval = DispatcherOptions{}.poll_interval;
  LaneLimits limits = {};
  Destination destination = {};  ///< What a destination begins with that is put from now on; it has no name.
  Duration disable_after = RetryPolicy{}.unreachable_for;  ///< The earlier name of what is in there.
  std::size_t last_error_bytes_max = 2048;
  std::size_t payload_bytes_max = sqlite::EnqueueOptions{}.content_bytes_max;
  sqlite::TopicGrammar topic_grammar = sqlite::TopicGrammar::any;
  std::vector<SchemaFile> schemas = {};
  Duration expire_after = {};  ///< Of a message that says nothing; 0 = never.
};

/// One thread is the limit of a fast endpoint: two carry half as much again to it.
inline constexpr std::size_t http_threads = 2;

struct CleanerConfig {
  bool is_enabled = DispatcherOptions{}.is_cleaner_enabled;
  std::vector<std::string> outboxes = {};  ///< Empty: all that are relayed.
  Duration interval = DispatcherOptions{}.clean_interval;
  Duration retention = DispatcherOptions{}.clean.retention;
  Duration dead_retention = DispatcherOptions{}.clean.dead_retention;  ///< 0 = for ever.
};

struct SagaConfig {
  bool is_enabled = true;
  Duration lease = SagaOptions{}.lease;
  std::size_t executions_max = SagaOptions{}.executions_max;
  Duration retention = SagaOptions{}.retention;
  std::string cache_url = {};   ///< A Redis; empty: none.
  std::string public_url = {};  ///< Where participants reach this server, to answer later; empty: its own address.
};

struct IdempotencyConfig {
  Duration ttl = ClaimRequest{}.ttl;
  Duration lease = ClaimRequest{}.lease;
  ResultLimits limits = {};
  std::string seal_file = {};  ///< Empty: answers are stored as they are.
  bool is_purged = true;
  Duration purge_interval = std::chrono::minutes(1);
  Duration inbox_retention = std::chrono::hours(24 * 30);
};

struct LogConfig {
  LogFormat format = TelemetryOptions{}.log_format;
  LogLevel level = TelemetryOptions{}.log_level;
  bool mask_tenant = TelemetryOptions{}.mask_tenant;
};

struct MetricsConfig {
  bool compat = TelemetryOptions{}.metrics_compat;
  TenantLabel tenant_label = TenantLabel::off;
  bool is_enabled = true;
  std::string path = "/debug/prometheus";  ///< Beside /metrics.
};

/// Of `makegood serve`.
struct ServerConfig {
  std::string listen = "127.0.0.1:7700";
  std::string token_file = {};
  bool is_open_on_loopback = false;
  std::string door_folder = {};  ///< Empty: the usual ones.
  std::string doorbell = {};     ///< The path of a socket; empty: there is none.
  std::size_t workers = 2;
  std::size_t connections_max = 8192;
  std::size_t streams_max = 256;
  std::size_t header_bytes_max = std::size_t{16} << 10;
  std::size_t body_bytes_max = std::size_t{8} << 20;
  Duration header_timeout = std::chrono::seconds(10);
  Duration body_timeout = std::chrono::seconds(30);
  Duration idle_timeout = std::chrono::seconds(30);
  Duration shutdown_grace = std::chrono::seconds(25);
  bool has_access_log = false;
};

struct Config {
  StoreConfig store = {};
  OutboxConfig outbox = {};
  HttpOptions http = {.threads = http_threads};
  BrokerOptions brokers = {};  ///< Its network is that of HTTP.
  CleanerConfig cleaner = {};
  SagaConfig saga = {};
  IdempotencyConfig idempotency = {};
  LogConfig log = {};
  MetricsConfig metrics = {};
  ServerConfig server = {};
  std::map<std::string, Origin, std::less<>> origins = {};  ///< By key; what is not in it is built in.
};

Origin origin_of(const Config& config, std::string_view key);

}  // namespace makegood::config
