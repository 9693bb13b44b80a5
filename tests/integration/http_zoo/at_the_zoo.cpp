#include "tests/integration/http_zoo/at_the_zoo.hpp"

#include <filesystem>

namespace makegood {
namespace {

/// Of a healthy endpoint on this machine. Whoever waits for one of the others waits for its timeout, which is longer.
constexpr std::chrono::milliseconds promptly{1000};
static_assert(promptly < patience);

}  // namespace

AtTheZoo::AtTheZoo() {
  options.connect_timeout = 1s;
  options.slow_after = 1s;
  zoo().reset();
}

void AtTheZoo::TearDown() { transport_.reset(); }

Zoo& AtTheZoo::zoo() {
  static Zoo zoo;
  return zoo;
}

Transport& AtTheZoo::transport() {
  if (!transport_) transport_ = value_of(new_http_transport(options));
  return *transport_;
}

HttpSettings AtTheZoo::settings_for(const std::string& animal) {
  HttpSettings settings{.url = zoo().url(animal)};
  if (settings.url.starts_with("https:")) settings.ca_file = zoo().file("ca");
  if (animal == "h2c") settings.version = HttpSettings::Version::http2;
  return settings;
}

DestinationPtr AtTheZoo::destination(const std::string& name, const HttpSettings& settings, Duration timeout) {
  return std::make_shared<const Destination>(value_of(http_destination(name, settings, {.timeout = timeout})));
}

Ticket AtTheZoo::send(const DestinationPtr& to, const std::string& content) {
  const Ticket ticket = ++last_ticket_;
  const testing_support::MessageTexts texts{.event_id = "event-" + std::to_string(ticket), .content = content};
  std::vector<Delivery> deliveries;
  deliveries.push_back({.message = testing_support::committed_message(texts, static_cast<Sequence>(ticket)),
                        .destination = to,
                        .outbox = "makegood_outbox",
                        .ticket = ticket});
  transport().send(std::move(deliveries), inbox_);
  return ticket;
}

std::vector<Ticket> AtTheZoo::send_many(const DestinationPtr& to, std::size_t count) {
  std::vector<Ticket> tickets;
  for (std::size_t i = 0; i < count; ++i) tickets.push_back(send(to));
  return tickets;
}

Outcome AtTheZoo::outcome_of(Ticket ticket) {
  const auto end = std::chrono::steady_clock::now() + testing_support::patience_max;
  while (std::chrono::steady_clock::now() < end) {
    const auto all = inbox_.all();
    for (const Completion& completion : all) {
      if (completion.ticket == ticket) return completion.outcome;
    }
    inbox_.await(all.size() + 1, 1s);
  }
  return Outcome::fail("NEVER.COMPLETED");
}

std::vector<Outcome> AtTheZoo::outcomes_of(const std::vector<Ticket>& tickets) {
  std::vector<Outcome> outcomes;
  for (const Ticket ticket : tickets) outcomes.push_back(outcome_of(ticket));
  return outcomes;
}

void AtTheZoo::expect_the_healthy_are_served_promptly() {
  const auto healthy = destination("ok");
  for (int i = 0; i < 5; ++i) {
    const auto before = std::chrono::steady_clock::now();
    EXPECT_EQ(outcome_of(send(healthy)).kind, Kind::ok);
    EXPECT_LT(std::chrono::steady_clock::now() - before, promptly);
  }
}

std::size_t thread_count() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

}  // namespace makegood
