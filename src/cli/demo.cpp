// makegood demo: the daemon at work, for whoever wants to see it first.
#include "demo/demo.hpp"

#include <memory>

#include "cli/client_http.hpp"
#include "cli/verbs.hpp"

namespace makegood::cli {

void add_demo(CLI::App& app, Program& program) {
  CLI::App& verb = *app.add_subcommand("demo", "Watch the daemon deliver from a shop to five unreliable endpoints");
  const auto flags = std::make_shared<demo::DemoOptions>();
  verb.add_option("--folder", flags->folder, "Where its files are; what it left there last time is forgotten")
      ->type_name("DIR")
      ->capture_default_str()
      ->take_last();
  verb.add_option("--seconds", flags->seconds, "How long; 0 = until it is interrupted")
      ->type_name("N")
      ->check(CLI::NonNegativeNumber);
  verb.footer(
      "Within a minute: retries, a blocked key, an open circuit, a dead letter. Needs nothing but this program.");
  run(verb, program, [flags] {
    flags->door_folders = door_folders_of({}, config::process_environment());
    return demo::run_demo(*flags);
  });
}

}  // namespace makegood::cli
