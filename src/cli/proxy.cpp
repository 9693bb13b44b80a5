// makegood proxy: idempotency keys in front of a service that cannot be changed.
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <memory>
#include <thread>

#include "base/file_rights.hpp"
#include "cli/verbs.hpp"
#include "cli/yaml_document.hpp"
#include "daemon/descriptor_limit.hpp"
#include "daemon/end_signals.hpp"
#include "proxy/document.hpp"
#include "proxy/proxy.hpp"

namespace makegood::cli {
namespace {

constexpr std::size_t descriptors_reserved = 512;
constexpr Duration patience = std::chrono::seconds(5);

struct ProxyFlags {
  std::string listen = {};
  std::string upstream = {};
  std::string admin = {};
  std::string file = {};
  std::vector<std::string> paths = {};
  std::vector<std::string> headers = {};
  std::string secret_file = {};
  bool has_no_principal = false;
  bool requires_key = false;
  bool describes = false;
  bool prints_schema = false;
};

/// What flags say of all routes that they name.
void add_routes(const ProxyFlags& flags, proxy::ProxyOptions& options) {
  if (!flags.headers.empty()) {
    options.principal = proxy::CredentialHeaders{.headers = flags.headers, .secret_file = flags.secret_file};
  }
  if (flags.has_no_principal) options.principal = proxy::Nobody{};
  for (const std::string& path : flags.paths) {
    options.routes.push_back({.path = path, .is_key_required = flags.requires_key});
  }
}

Result<proxy::ProxyOptions> options_of(const ProxyFlags& flags) {
  proxy::ProxyOptions options;
  if (!flags.file.empty()) {
    options = MAKEGOOD_TRY(read_yaml_document(flags.file, [](const api::DocumentNode& node) {
      auto read = proxy::read_document(node);
      return DocumentRead<proxy::ProxyOptions>{std::move(read.options), std::move(read.mistakes)};
    }));
  }
  if (!flags.listen.empty()) options.listen = flags.listen;
  if (!flags.upstream.empty()) options.upstream = flags.upstream;
  if (!flags.admin.empty()) options.admin = flags.admin;
  add_routes(flags, options);
  const std::size_t wanted = 2 * options.connections_max + descriptors_reserved;
  const std::size_t descriptors = daemon::raise_descriptor_limit(wanted);
  // A client's request needs a connection to the upstream, too.
  options.connections_max =
      std::min(options.connections_max, daemon::connections_within(descriptors, descriptors_reserved) / 2);
  return options;
}

void warn_of_secrets(const proxy::ProxyOptions& options, observe::Log& log) {
  for (const std::string& file : proxy::secret_files(options)) {
    if (!may_everybody_read(file)) continue;
    log.write(LogLevel::warning, "secret", {{"what", std::string_view(everybody_reads(file))}});
  }
}

/// On the usual output, for people and for whoever asked for port 0; the log goes to the error output.
void say_hello(const Program& program, const proxy::Proxy& proxy, const std::string& upstream) {
  const std::string admin = proxy.admin_address();
  fmt::print("makegood {} is a proxy of {} on http://{}{}\n", program.version, upstream, proxy.address(),
             admin.empty() ? "" : fmt::format(", admin on http://{}", admin));
  std::fflush(stdout);
}

void wait_for_end(daemon::EndSignals& signals) {
  while (signals.take() == 0) {
    pollfd watched{signals.descriptor(), POLLIN, 0};
    ::poll(&watched, 1, 1000);
  }
}

void stop(proxy::Proxy& proxy, daemon::EndSignals& signals, Duration grace) {
  const std::jthread impatience([&signals, grace](const std::stop_token& ended) {
    const MonotonicTime end = system_clock().monotonic() + grace + patience;
    while (!ended.stop_requested()) {
      pollfd watched{signals.descriptor(), POLLIN, 0};
      ::poll(&watched, 1, 50);
      if (signals.take() != 0 || system_clock().monotonic() > end) ::_exit(1);
    }
  });
  proxy.stop(grace);
}

Result<> run_proxy(Program& program, const ProxyFlags& flags) {
  if (flags.describes || flags.prints_schema) {
    fmt::print("{}", flags.describes ? proxy::document_page() : proxy::document_schema());
    return {};
  }
  // Before the first thread, so that all of them leave the signals to this one.
  daemon::EndSignals signals = MAKEGOOD_TRY(daemon::EndSignals::open());
  const config::Config config = MAKEGOOD_TRY(load_config(program));
  const proxy::ProxyOptions options = MAKEGOOD_TRY(options_of(flags));
  observe::Log log({.format = config.log.format, .level = config.log.level, .mask_tenant = config.log.mask_tenant});
  warn_of_secrets(options, log);
  const proxy::KeyPlace keys{.url = config.store.url, .schema = schema_of_keys(config.store)};
  const auto proxy = MAKEGOOD_TRY(proxy::Proxy::open(options, keys, log));
  proxy->start();
  say_hello(program, *proxy, options.upstream);
  wait_for_end(signals);
  log.write(LogLevel::info, "stopping");
  stop(*proxy, signals, config.server.shutdown_grace);
  log.write(LogLevel::info, "stopped");
  return {};
}

void add_route_flags(CLI::App& verb, ProxyFlags& flags) {
  verb.add_option("--path", flags.paths,
                  "A path whose POST and PATCH may have a key, as in '/orders/**'; may be repeated")
      ->type_name("PATTERN")
      ->allow_extra_args(false);
  verb.add_flag("--require-key", flags.requires_key, "Refuse requests to these paths that have none");
  verb.add_option("--principal-header", flags.headers, "A header with the credentials of who asks; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  verb.add_option("--secret-file", flags.secret_file, "The secret under which credentials are hashed; 16 bytes or more")
      ->type_name("FILE");
  verb.add_flag("--no-principal", flags.has_no_principal, "Every client may get every stored answer");
}

}  // namespace

void add_proxy(CLI::App& app, Program& program) {
  CLI::App& verb = *app.add_subcommand("proxy", "Put idempotency keys in front of an HTTP service");
  add_store_flags(verb, program);
  const auto flags = std::make_shared<ProxyFlags>();
  verb.add_option("--listen", flags->listen,
                  "The address of clients, default 127.0.0.1:7780; port 0 = any that is free")
      ->type_name("ADDRESS");
  verb.add_option("--upstream", flags->upstream, "The service, as in http://127.0.0.1:8080")->type_name("URL");
  verb.add_option("--admin", flags->admin, "An address for /healthz, /readyz and /metrics")->type_name("ADDRESS");
  verb.add_option("--routes", flags->file, "A document with routes and everything else")->type_name("FILE");
  add_route_flags(verb, *flags);
  verb.add_flag("--schema", flags->prints_schema, "Print the JSON Schema of the document, and end");
  verb.add_flag("--describe", flags->describes, "Print the reference page of the document, and end");
  verb.footer("Several proxies of one service need one PostgreSQL. SIGTERM or SIGINT ends it.");
  run(verb, program, [&program, flags] { return run_proxy(program, *flags); });
}

}  // namespace makegood::cli
