#include "cli/program.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <utility>

#include "cli/print.hpp"
#include "config/kubernetes.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

Result<config::Flag> to_flag(const std::string& setting) {
  const std::size_t equals = setting.find('=');
  if (equals == std::string::npos || equals == 0) {
    return Error{Errc::invalid, fmt::format("'{}' is not of the form KEY=VALUE; write --set tx.outbox.batch=100.",
                                            config::printable(setting))};
  }
  return config::Flag{"--set", setting.substr(0, equals), setting.substr(equals + 1)};
}

/// In the order of Exit.
struct ExitMeaning {
  Exit code;
  std::string_view what;
  std::string_view more = {};
};
constexpr auto exit_meanings = std::to_array<ExitMeaning>({
    {Exit::ok, "done"},
    {Exit::failed, "failed", ": the error output tells why in one sentence, with a stable code"},
    {Exit::usage, "wrong usage"},
    {Exit::configuration, "mistakes in the configuration", ", all of them told"},
});

std::string joined(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ",")); }

}  // namespace

Result<config::Sources> sources_of(const Program& program) {
  config::Sources sources{.environment = config::process_environment(),
                          .service_account = std::string(config::service_account_folder)};
  sources.file = config::find_file(program.config_file, sources.environment);
  for (const std::string& setting : program.settings) sources.flags.push_back(MAKEGOOD_TRY(to_flag(setting)));
  if (!program.store_url.empty()) sources.flags.push_back({"--store", "store.url", program.store_url});
  if (!program.outboxes.empty()) sources.flags.push_back({"--outbox", "store.outboxes", joined(program.outboxes)});
  return sources;
}

Result<config::Config> load_config(const Program& program) {
  config::Loaded loaded = config::load(MAKEGOOD_TRY(sources_of(program)));
  if (!loaded.findings.mistakes.empty()) return config::to_error(loaded.findings.mistakes);
  for (const config::Mistake& warning : loaded.findings.warnings) warn(config::to_string(warning));
  return std::move(loaded.config);
}

Result<std::string> one_outbox(const config::Config& config) {
  if (config.store.outboxes.size() == 1) return config.store.outboxes.front();
  return Error{Errc::invalid, fmt::format("There are {} outboxes in the configuration; name one with --outbox.",
                                          config.store.outboxes.size())};
}

std::string schema_of_keys(const config::StoreConfig& store) {
  const std::string outbox = store.outboxes.empty() ? std::string() : store.outboxes.front();
  const std::size_t dot = outbox.find('.');
  return dot == std::string::npos ? std::string() : outbox.substr(0, dot);
}

bool is_postgres(std::string_view store_url) {
  return store_url.starts_with("postgres://") || store_url.starts_with("postgresql://");
}

std::string exit_codes() {
  std::string text;
  for (const auto& [code, what, more] : exit_meanings) {
    text += fmt::format("{}{} {}", text.empty() ? "Exit codes: " : ", ", std::to_underlying(code), what);
  }
  return text + ".";
}

std::string exit_codes_in_full() {
  std::string text;
  for (const auto& [code, what, more] : exit_meanings) {
    const std::string_view between = code == Exit::configuration ? ";\n" : "; ";
    text += fmt::format("{}{} {}{}", text.empty() ? "Exit codes: " : between, std::to_underlying(code), what, more);
  }
  return text + ".";
}

Exit tell(const Error& error) {
  fmt::print(stderr, "makegood: {} [{}]\n", config::printable(error.message), to_string(error.code));
  std::string_view rest = error.diagnostics;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    fmt::print(stderr, "  {}\n", config::printable(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return error.code == Errc::config_invalid ? Exit::configuration : Exit::failed;
}

}  // namespace makegood::cli
