#include "demo/demo.hpp"

#include <curl/curl.h>
#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "demo/child_daemon.hpp"
#include "demo/endpoints.hpp"
#include "demo/events.hpp"
#include "demo/shop.hpp"

namespace makegood::demo {
namespace {

using namespace std::chrono_literals;

constexpr std::uint16_t usual_port = 7700;
constexpr auto ready_within = 20s;
constexpr auto between_orders = 400ms;
constexpr int orders_told = 5;
constexpr int orders_between_sums = 25;
constexpr int refunded_every = 4;

/// The usual port, or another one if somebody has it. Whoever asks must be quick to take it.
std::uint16_t free_demo_port() {
  const Descriptor usual = listen_on_loopback(usual_port);
  return usual ? usual_port : port_of(listen_on_loopback(0));
}

/// SIGINT and SIGTERM, waited for instead of handled.
class DemoSignals {
 public:
  DemoSignals() {
    sigemptyset(&signals_);
    sigaddset(&signals_, SIGINT);
    sigaddset(&signals_, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  }
  /// True: one has come.
  bool wait(std::chrono::milliseconds time) const {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    const timespec limit = {.tv_sec = seconds.count(), .tv_nsec = std::chrono::nanoseconds(time - seconds).count()};
    return sigtimedwait(&signals_, nullptr, &limit) > 0;
  }

 private:
  sigset_t signals_ = {};
};

/// As the reader would type it from here.
std::string program_as_typed() {
  std::error_code ignored;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return ignored ? "makegood" : std::filesystem::proximate(path, ignored).string();
}

class Demo {
 public:
  explicit Demo(DemoOptions options)
      : options_(std::move(options)), database_(options_.folder + "/shop.db"), endpoints_(teller_) {}

  Result<> run() {
    curl_global_init(CURL_GLOBAL_DEFAULT);
    MAKEGOOD_TRY(begin_anew());
    const DemoSignals signals;
    const auto receiver = MAKEGOOD_TRY(DemoReceiver::open(
        [this](const DemoRequest& request) { return endpoints_.answer(request, teller_.passed()); }));
    MAKEGOOD_TRY(write_registry(receiver->url()));
    DemoDaemon daemon = MAKEGOOD_TRY(start_daemon());
    receiver->start();
    MAKEGOOD_TRY(await_ready(daemon));
    tell_what_there_is(receiver->url());
    const DemoEvents events(server_, options_.door_folders, teller_);
    DemoShop shop = MAKEGOOD_TRY(DemoShop::open(database_));
    MAKEGOOD_TRY(sell_until_the_end(shop, events, daemon, signals));
    daemon.stop();
    sum_up(events.tally());
    return {};
  }

 private:
  Result<> begin_anew() const {
    std::error_code error;
    std::filesystem::create_directories(options_.folder + "/apply", error);
    if (error) return Error{Errc::invalid, "The demo cannot make its folder " + options_.folder + ".", error.message()};
    // Only what is the demo's own: the folder may be anybody's.
    for (const char* name : {"shop.db", "shop.db-wal", "shop.db-shm", "shop.db.makegood_outbox.lane",
                             "shop.db.makegood_saga.lane", "serve.log"})
      std::filesystem::remove(options_.folder + "/" + name, error);
    return {};
  }

  Result<> write_registry(const std::string& receiver) const {
    std::ofstream file(options_.folder + "/apply/demo.yaml");
    file << DemoEndpoints::registry(receiver) << std::flush;
    if (!file) return Error{Errc::store_full, "The demo cannot write into its folder " + options_.folder + "."};
    return {};
  }

  Result<DemoDaemon> start_daemon() {
    const std::string address = fmt::format("127.0.0.1:{}", free_demo_port());
    server_ = "http://" + address;
    return DemoDaemon::start(
        {"serve", "--store", "sqlite:" + database_, "--listen", address, "--apply", options_.folder + "/apply"}, log());
  }

  Result<> await_ready(DemoDaemon& daemon) const {
    // Ready means that the demo's destinations are applied: a message that came earlier would lead nowhere.
    const std::string ready = server_ + "/readyz";
    const auto until = std::chrono::steady_clock::now() + ready_within;
    while (std::chrono::steady_clock::now() < until && daemon.is_alive()) {
      if (demo_status_of(ready, options_.door_folders) == 200) return {};
      std::this_thread::sleep_for(20ms);
    }
    return Error{Errc::unavailable, "makegood serve did not become ready; what it said is in " + log() + "."};
  }

  std::string log() const { return options_.folder + "/serve.log"; }

  void tell_what_there_is(const std::string& receiver) const {
    const std::string program = program_as_typed();
    fmt::print(
        "Makegood runs at {0} on {3}/shop.db; its log is {3}/serve.log.\n"
        "A shop commits invoices, payments and refunds with their messages. Five endpoints at {2} receive them:\n"
        "  ledger     takes everything            mail       is too busy now and then: retries\n"
        "  tax        refuses one: a dead letter  crm        cannot do one customer for a while: a blocked key\n"
        "  warehouse  goes down for a while: an open circuit\n"
        "Every other order is a saga over orders, stock and payments, too; with an expired card it is undone.\n\n"
        "Try in another terminal:\n"
        "  {1} status --server {0}\n"
        "  {1} outbox tail --server {0}\n"
        "  {1} outbox blocked --server {0}\n"
        "  {1} destinations list --server {0}\n"
        "  {1} dead list --server {0}\n"
        "  {1} saga list --server {0}\n"
        "  {1} saga show order-4 --server {0}\n"
        "  curl -X POST {2}/mend && {1} dead replay --all --yes --operator me --reason mended --server {0}\n"
        "  curl -H \"Authorization: Bearer $({1} token --server {0})\" "
        "{0}/api/outboxes/makegood_outbox/messages?state=dead\n"
        "  curl -H \"Authorization: Bearer $({1} token --server {0})\" {0}/metrics\n"
        "  sqlite3 -cmd '.timeout 5000' {3}/shop.db \"INSERT INTO makegood_outbox (topic, payload) VALUES "
        "('billing.note.v1', '{{}}')\"\n\n"
        "Ctrl-C ends it.\n\n",
        server_, program, receiver, options_.folder);
    std::fflush(stdout);
  }

  Result<> sell_until_the_end(DemoShop& shop, const DemoEvents& events, DemoDaemon& daemon,
                              const DemoSignals& signals) {
    for (int order = 1; options_.seconds == 0 || teller_.passed() < std::chrono::seconds(options_.seconds); ++order) {
      MAKEGOOD_TRY(sell(shop, order));
      if (order % orders_between_sums == 0) tell_sum(order, events.tally());
      if (signals.wait(between_orders)) return {};
      if (!daemon.is_alive())
        return Error{Errc::unavailable, "makegood serve has ended; what it said is in " + log() + "."};
    }
    return {};
  }

  Result<> sell(DemoShop& shop, int order) {
    const bool is_declined = order == DemoPlan::declined_order;
    const Sequence invoice = MAKEGOOD_TRY(shop.generate_invoice(order));
    const Sequence payment = MAKEGOOD_TRY(shop.pay(order, is_declined));
    if (order % refunded_every == 0) MAKEGOOD_TRY(shop.refund(order));
    if (order % DemoPlan::saga_every == 0) MAKEGOOD_TRY(place(shop, order));
    if (is_declined)
      teller_.tell("shop", fmt::format("inv-{} of {}: message {}; its payment is rolled back, and its message with it",
                                       order, DemoShop::customer_of(order), invoice));
    else if (order <= orders_told)
      teller_.tell("shop", fmt::format("inv-{} of {}: committed with messages {} and {}", order,
                                       DemoShop::customer_of(order), invoice, payment));
    return {};
  }

  Result<> place(DemoShop& shop, int order) {
    MAKEGOOD_TRY(shop.place_order(order, order % DemoPlan::expired_every == 0));
    if (order <= orders_told)
      teller_.tell("shop", fmt::format("order-{}: placed, and its saga started with it", order));
    return {};
  }

  void tell_sum(int orders, const DemoTally& tally) {
    teller_.tell("so far", fmt::format("{} invoices; {} delivered, {} retried, {} dead", orders, tally.delivered,
                                       tally.retried, tally.dead));
  }

  void sum_up(const DemoTally& tally) const {
    fmt::print(
        "\nEnded: {} delivered, {} retried, {} dead. Everything is in {}:\n"
        "  sqlite3 {} \"SELECT sequence, topic, state, attempts, last_error FROM makegood_outbox_status\"\n"
        "  {} serve --store sqlite:{}     # goes on where it ended\n",
        tally.delivered, tally.retried, tally.dead, options_.folder, database_, program_as_typed(), database_);
  }

  const DemoOptions options_;
  const std::string database_;
  std::string server_;
  DemoTeller teller_;
  DemoEndpoints endpoints_;
};

}  // namespace

Result<> run_demo(DemoOptions options) { return Demo(std::move(options)).run(); }

}  // namespace makegood::demo
