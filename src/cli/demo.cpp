// makegood demo: a shop, two handlers and everything that can happen to a message, told as it happens.
#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <thread>

#include "cli/demo_shop.hpp"
#include "cli/verbs.hpp"
#include "config/options.hpp"
#include "config/reload.hpp"
#include "config/watch.hpp"
#include "makegood/registry.hpp"
#include "makegood/telemetry.hpp"

namespace makegood::cli {
namespace {

using namespace std::chrono_literals;

constexpr const char* file = "makegood-demo.db";
constexpr const char* url = "sqlite:makegood-demo.db";
constexpr int rolled_back_order = 4;
constexpr int risky_order = 6;

/// One line per thing that happens, in the order in which it does. Thread-safe.
class Teller {
 public:
  void tell(std::string_view who, std::string_view what) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - began_;
    const std::scoped_lock lock(mutex_);
    fmt::print("{:6.2f} s  {:<9} {}\n", passed.count(), who, what);
    std::fflush(stdout);
  }

 private:
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
};

std::string order_of(const Delivery& delivery) {
  return std::string(delivery.message->dispatch_key) +
         (delivery.attempt > 1 ? fmt::format(", attempt {}", delivery.attempt) : "");
}

class Demo {
 public:
  explicit Demo(const config::Config& config) : config_(config), telemetry_(quiet(config)) {}

  Result<> run(const config::Sources& sources, config::Watch& watch, int orders) {
    begin_anew();
    register_handlers();
    auto dispatcher = MAKEGOOD_TRY(open_dispatcher(url, handlers_, options(), &telemetry_.observer()));
    DemoShop shop =
        MAKEGOOD_TRY(DemoShop::open(file, config::enqueue_options(config_, DispatcherOptions{}.outbox, nullptr)));
    dispatcher.start();
    for (int order = 1; order <= orders || orders == 0; ++order) {
      MAKEGOOD_TRY(sell(shop, order));
      dispatcher.wake();
      follow_config(sources, watch, dispatcher);
    }
    MAKEGOOD_TRY(replay_the_dead(shop));
    dispatcher.stop();
    return sum_up(shop);
  }

 private:
  static TelemetryOptions quiet(const config::Config& config) {
    TelemetryOptions options = config::telemetry_options(config);
    if (!config.origins.contains("log.level")) options.log_level = LogLevel::critical;  // The demo speaks for itself.
    return options;
  }

  static void begin_anew() {
    for (const char* ending : {"", "-wal", "-shm", ".makegood_outbox.lane"}) {
      std::error_code ignored;
      std::filesystem::remove(std::string(file) + ending, ignored);
    }
  }

  void register_handlers() {
    Destination patient = config::destination_settings(config_);
    patient.retry.base = 300ms;
    handlers_.on(
        "shop.payment.*", "invoices",
        [this](const Delivery& delivery) {
          teller_.tell("invoices", "writes the invoice of " + order_of(delivery));
          return Outcome::ok();
        },
        patient);
    handlers_.on("shop.payment.*", "mail", [this](const Delivery& delivery) { return mail(delivery); }, patient);
  }

  Outcome mail(const Delivery& delivery) {
    if (delivery.message->dispatch_key == fmt::format("order-{}", risky_order) && !is_address_mended_) {
      teller_.tell("mail", "refuses " + order_of(delivery) + ": NO_SUCH_ADDRESS, for good → dead letter");
      return Outcome::fail("NO_SUCH_ADDRESS");
    }
    if (++mails_ % 3 == 0) {
      teller_.tell("mail", "cannot reach its server for " + order_of(delivery) + ": MAIL_DOWN → retry");
      return Outcome::retry("MAIL_DOWN");
    }
    teller_.tell("mail", "sends the receipt of " + order_of(delivery));
    return Outcome::ok();
  }

  DispatcherOptions options() const { return config::dispatcher_options(config_, DispatcherOptions{}.outbox); }

  Result<> sell(DemoShop& shop, int order) {
    if (order == rolled_back_order) {
      MAKEGOOD_TRY(shop.roll_an_order_back(order));
      teller_.tell("shop", fmt::format("order-{} is rolled back: neither the order nor its message exists", order));
      return {};
    }
    const Sequence number = MAKEGOOD_TRY(shop.place_order(order));
    teller_.tell("shop", fmt::format("order-{} and message {} are committed together", order, number));
    return {};
  }

  /// Half a second between two orders; what the configuration allows to change is taken over meanwhile.
  void follow_config(const config::Sources& sources, config::Watch& watch, Dispatcher& dispatcher) {
    if (!watch.wait(500ms)) return;
    config::Reload reload = config::reload(sources, config_);
    for (const std::string& line : config::describe(reload)) teller_.tell("config", line);
    config_ = std::move(reload.config);
    telemetry_.set_level(config_.log.level);
    DispatcherOptions changed = options();
    changed.destinations = handlers_.destinations();
    changed.routes = handlers_.routes();
    dispatcher.reconfigure(std::move(changed));
  }

  Result<> replay_the_dead(DemoShop& shop) {
    MAKEGOOD_TRY(await(shop, "SELECT count(*) = 0 FROM makegood_outbox_status WHERE state IN ('pending', 'leased')"));
    auto operators = MAKEGOOD_TRY(open_dead_letters(url, DispatcherOptions{}.outbox));
    for (const DeadLetter& letter : MAKEGOOD_TRY(operators->list("", 0, 10))) {
      teller_.tell("operator", fmt::format("mends the address and replays message {} to {}", letter.parked.sequence,
                                           letter.parked.destination));
      is_address_mended_ = true;
      MAKEGOOD_TRY(operators->request({.kind = RequestKind::replay,
                                       .sequence = letter.parked.sequence,
                                       .destination = letter.parked.destination,
                                       .operator_name = "demo",
                                       .reason = "the address was mended"}));
    }
    return await(shop, "SELECT count(*) = 0 FROM makegood_outbox_status WHERE state <> 'done'");
  }

  static Result<> await(DemoShop& shop, const std::string& sql) {
    for (int i = 0; i < 200; ++i) {
      if (MAKEGOOD_TRY(shop.count(sql)) == 1) return {};
      std::this_thread::sleep_for(100ms);
    }
    return Error{Errc::timeout, "The demo did not come to its end; look at `makegood outbox dead`."};
  }

  /// As the reader would type it from here.
  static std::string program() {
    std::error_code ignored;
    const auto path = std::filesystem::read_symlink("/proc/self/exe", ignored);
    return ignored ? "makegood" : std::filesystem::proximate(path, ignored).string();
  }

  Result<> sum_up(DemoShop& shop) {
    const auto orders = MAKEGOOD_TRY(shop.count("SELECT count(*) FROM shop_order"));
    const auto messages = MAKEGOOD_TRY(shop.count("SELECT count(*) FROM makegood_outbox"));
    const auto done = MAKEGOOD_TRY(shop.count("SELECT count(*) FROM makegood_outbox_status WHERE state = 'done'"));
    const auto parked = MAKEGOOD_TRY(shop.count("SELECT count(*) FROM makegood_outbox_parked"));
    const auto turns = MAKEGOOD_TRY(shop.count("SELECT count(*) FROM makegood_outbox_turn"));
    fmt::print(
        "\n{} orders, {} messages, {} delivered to both handlers; {} deliveries needed a row of their own; {} turns.\n"
        "It is all in {}. Look at it:\n"
        "  sqlite3 {} \"SELECT sequence, topic, state, attempts, last_error FROM makegood_outbox_status\"\n"
        "  sqlite3 {} \"SELECT sequence, destination, state, attempts, story FROM makegood_outbox_parked\"\n"
        "  {} outbox dead --store {}\n",
        orders, messages, done, parked, turns, file, file, file, program(), url);
    return {};
  }

  config::Config config_;
  Telemetry telemetry_;
  Teller teller_;
  Handlers handlers_;
  std::atomic<int> mails_ = 0;
  std::atomic<bool> is_address_mended_ = false;
};

}  // namespace

void add_demo(CLI::App& app, Program& program) {
  CLI::App& verb = *app.add_subcommand("demo", "Watch messages flow from a shop to two handlers, on SQLite");
  add_config_flags(verb, program);
  static int orders = 12;
  verb.add_option("--orders", orders, "How many orders; 0 = until it is interrupted")->type_name("N");
  verb.footer("Leaves makegood-demo.db in the working folder, to look at.");
  cli::run(verb, program, [&program]() -> Result<> {
    const config::Sources sources = MAKEGOOD_TRY(sources_of(program));
    config::Watch watch = MAKEGOOD_TRY(config::Watch::open(sources.file));
    const config::Config config = MAKEGOOD_TRY(load_config(program));
    return Demo(config).run(sources, watch, orders);
  });
}

}  // namespace makegood::cli
