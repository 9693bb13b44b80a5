// makegood dev: a daemon to test against, with a store that is thrown away, participants that answer as they are told,
// and a clock that can be moved ahead.
#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>

#include "base/advance_clock.hpp"
#include "base/json.hpp"
#include "cli/apply.hpp"
#include "cli/print.hpp"
#include "cli/verbs.hpp"
#include "core/saga/participants.hpp"
#include "daemon/daemon.hpp"
#include "dev/control.hpp"
#include "dev/listener.hpp"
#include "makegood/dispatcher.hpp"

namespace makegood::cli {
namespace {

constexpr std::string_view catch_all = "http:outbox";
/// A clock that jumps must not look like an owner that was away.
constexpr Duration dev_lease = std::chrono::days(3650);

struct DevFlags {
  std::vector<std::string> paths = {};
  std::string listen = "127.0.0.1:7700";
  std::uint16_t port = 7701;
};

/// Removed with all that is in it.
class ThrowAwayFolder {
 public:
  static Result<ThrowAwayFolder> make() {
    std::string path = (std::filesystem::temp_directory_path() / "makegood-dev-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) {
      return Error{Errc::internal, "There can be no folder for a throw-away store; set TMPDIR."};
    }
    return ThrowAwayFolder(std::move(path));
  }
  ThrowAwayFolder(ThrowAwayFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ThrowAwayFolder& operator=(ThrowAwayFolder&&) = delete;
  ~ThrowAwayFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  explicit ThrowAwayFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

/// Those that the files register, and those that their sagas call; and one for everything else.
std::set<std::string> fake_destinations(const Wanted& wanted) {
  std::set<std::string> names = {std::string(catch_all)};
  const auto add = [&](const std::string& uri) {
    const std::string name(core::participant_of(uri).destination);
    if (name.starts_with("http:") && name.find("://") == std::string::npos) names.insert(name);
  };
  for (const WantedOutbox& outbox : wanted.outboxes) {
    for (const std::string& name : destination_names(outbox)) add(name);
  }
  for (const WantedSaga& saga : wanted.sagas) {
    for (const SagaStep& step : saga.read.definition.steps) {
      add(step.action.uri);
      if (step.compensation) add(step.compensation->uri);
      if (step.check) add(step.check->uri);
    }
  }
  return names;
}

/// `http:orders` is `/orders/` of the fakes.
std::string fake_destination(const std::string& name, const std::string& url) {
  const std::string path = name.substr(name.find(':') + 1);
  return json_object(
      {{"name", json_text(name)}, {"http", json_object({{"url", json_text(fmt::format("{}/{}/", url, path))}})}});
}

std::string routes_of(const Wanted& wanted) {
  for (const WantedOutbox& outbox : wanted.outboxes) {
    if (!outbox.routes.empty()) return outbox.routes;
  }
  return "[" + json_object({{"pattern", json_text("*")}, {"destination", json_text(catch_all)}}) + "]";
}

/// What the files say, with every destination led to the fakes.
std::string fake_document(const Wanted& wanted, const std::string& url) {
  std::vector<std::string> destinations;
  for (const std::string& name : fake_destinations(wanted)) destinations.push_back(fake_destination(name, url));
  std::vector<std::string> sagas;
  for (const WantedSaga& saga : wanted.sagas) sagas.push_back(saga.document);
  return json_object(
      {{"destinations", json_array(destinations)}, {"routes", routes_of(wanted)}, {"sagas", json_array(sagas)}});
}

Result<> write_file(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
  if (std::filesystem::exists(path)) return {};
  return Error{Errc::internal, fmt::format("{} cannot be written.", path)};
}

void set_up(Program& program, const DevFlags& flags, const ThrowAwayFolder& folder) {
  program.settings.insert(
      program.settings.end(),
      {"store.url=sqlite:" + folder.file("dev.db"), "server.listen=" + flags.listen, "server.open_on_loopback=true",
       "server.doorbell=" + folder.file("bell"), "server.door_folder=" + folder.file("door")});
}

Result<> run_dev(Program& program, const DevFlags& flags) {
  // Before the first thread, so that all of them leave the signals to this one.
  daemon::EndSignals signals = MAKEGOOD_TRY(daemon::EndSignals::open());
  const ThrowAwayFolder folder = MAKEGOOD_TRY(ThrowAwayFolder::make());
  const Wanted wanted = MAKEGOOD_TRY(read_wanted(flags.paths, config::process_environment()));
  set_up(program, flags, folder);
  const config::Sources sources = MAKEGOOD_TRY(sources_of(program));
  config::Watch watch = MAKEGOOD_TRY(config::Watch::open(std::nullopt));
  config::Config config = MAKEGOOD_TRY(load_config(program));
  config.saga.lease = dev_lease;
  config.outbox.lease = dev_lease;

  const auto listener = MAKEGOOD_TRY(dev::Listener::open(flags.port));
  const std::string document = folder.file("apply.yaml");
  MAKEGOOD_TRY(write_file(document, fake_document(wanted, listener->url())));
  const auto apply = [document](const std::string& only_outbox, const daemon::HandleCall& handle) {
    return apply_files({document}, {}, only_outbox, handle);
  };
  const auto running = MAKEGOOD_TRY(daemon::Daemon::open(
      {.sources = sources, .config = std::move(config), .apply_files = apply, .version = program.version}));
  const Doorbell bell(folder.file("bell"));
  dev::Control control([&bell](Duration span) {
    advance_clock(span);
    bell.ring();
  });
  listener->start([&control](const dev::Request& request) { return control.answer(request); });
  fmt::print("fake participants and /dev on {}\n", listener->url());
  std::fflush(stdout);
  return running->run(signals, watch);
}

}  // namespace

void add_dev(CLI::App& app, Program& program) {
  CLI::App& verb = *app.add_subcommand(
      "dev", "Run a daemon to test against: a throw-away store, fake participants, a clock to move");
  const auto flags = std::make_shared<DevFlags>();
  verb.add_option("FILE", flags->paths, "Sagas, destinations and routes, as for apply; destinations lead to the fakes")
      ->type_name("FILE|DIR");
  verb.add_option("--listen", flags->listen, "The address of REST, default 127.0.0.1:7700; port 0 = any that is free")
      ->type_name("ADDRESS");
  verb.add_option("--port", flags->port, "Of the fakes and of /dev, default 7701; 0 = any that is free")
      ->type_name("PORT");
  verb.footer(
      "The destination http:orders is /orders/ of the fakes, so http:orders/create is POST /orders/create there. They "
      "answer\n200 and {} until a test programs them: POST /dev/answers. GET /dev/calls has what they were asked,\n"
      "POST /dev/clock/advance moves the clock. Messages of the outbox are captured as well. docs/testing-sagas.md.");
  run(verb, program, [&program, flags] { return run_dev(program, *flags); });
}

}  // namespace makegood::cli
