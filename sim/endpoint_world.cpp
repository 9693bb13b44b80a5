#include "sim/endpoint_world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace makegood::sim {
namespace {

using namespace std::chrono_literals;

constexpr auto bank_of_endpoints = std::to_array<Mutant>({
    {"one_name_one_endpoint", "destinations of one name share an endpoint although they differ", "0043"},
    {"places_wake_nobody", "who waits for a place is not told that one is free", "0043"},
    {"circuit_wakes_nobody", "who waits for the probe of another is not told what it found", "0043"},
    {"places_go_to_the_fastest", "who gives a place back takes it again, and others wait", "0043"},
    {"places_stay_with_the_fenced", "what a fenced owner had under way keeps its places", "0043"},
    {"all_places_are_given_back", "a fenced owner gives the places of others back, too", "0043"},
    {"probe_stays_with_the_fenced", "the probe of a fenced owner is waited for for ever", "0043"},
    {"others_are_not_heard", "a destination is failing for one caller while it answers another", "0043"},
});

constexpr std::string_view shop = "http:shop";
constexpr std::size_t stranger = 2;  ///< The lane with other settings.
constexpr Duration service_max = 20ms;
constexpr Duration shard_asks_every = 20ms;
constexpr Duration rest_within = 60s;
constexpr std::size_t few = 4;
constexpr std::size_t many = 60;

/// Nothing but what happens wakes a lane: no renewal, no look for safety, no cleaner.
DispatcherOptions options_for(const Destination& settings) {
  return {.destinations = {settings},
          .routes = {{"order.placed", settings.name}},
          .lease = 24h,
          .safety_interval = 24h,
          .is_cleaner_enabled = false};
}

}  // namespace

std::span<const Mutant> endpoint_mutants() { return bank_of_endpoints; }

EndpointWorld::EndpointWorld(std::uint64_t seed, std::uint64_t steps)
    : seed_(seed), steps_(steps), ids_(clock_, seed), shard_(core::Sharing{.endpoints = &endpoints_}) {
  Chance chance(seed);
  settings_ = {.name = std::string(shop), .in_flight_max = 2 + chance.below(3)};
  settings_.retry.base = 100ms;
  settings_.retry.cap = 1s;
  settings_.circuit = {.failures_max = 3, .wait_min = 20ms, .wait_max = 100ms};
  settings_.retry.attempts_max = 1000;
  settings_.rate_max = chance.one_in(4) ? 200 : 0;
  Destination other = settings_;
  other.in_flight_max = 1;
  for (std::size_t index = 0; index <= stranger; ++index) {
    auto relay = std::make_unique<Relay>();
    relay->database = memory::new_database(ids_);
    const core::Sharing sharing{&endpoints_, &relay->sign};
    relay->node = std::make_unique<Node>(fmt::format("lane{}", index), memory::open_store(relay->database, clock_),
                                         options_for(index == stranger ? other : settings_), chance.next(), sharing);
    relays_.push_back(std::move(relay));
  }
  shard_.configure({settings_});
}

EndpointWorld::~EndpointWorld() = default;

EndpointSummary EndpointWorld::run() {
  for (std::uint64_t number = 0; number < steps_ && summary_.violations.empty(); ++number) {
    Chance chance(seed_, number);
    step(chance);
  }
  Chance chance(seed_, steps_);
  is_up_ = true;
  if (summary_.violations.empty() && !come_to_rest(chance, rest_within))
    violated("it did not come to rest: " + what_is_left());
  if (summary_.violations.empty()) check_that_nobody_is_passed_over(chance);
  return std::move(summary_);
}

void EndpointWorld::step(Chance& chance) {
  const std::size_t what = chance.below(40);
  if (what < 5) return produce(chance.below(relays_.size()), 1 + chance.below(8));
  if (what < 6 && chance.one_in(4)) is_up_ = !is_up_;
  if (what < 10) return call_as_shard(chance);
  if (what < 20) return pass_time(service_max);
  if (what < 28 && !flights_.empty()) return end(chance.below(flights_.size()), is_up_);
  if (what < 29) return lose(chance.below(relays_.size()), chance);

  if (what < 30) {
    const std::size_t index = chance.below(relays_.size());
    const bool is_owner = !relays_[index]->node->owner().empty();
    return act(index, is_owner ? CallFault::after : CallFault::none, chance);
  }
  let_all_act(chance);
}

void EndpointWorld::produce(std::size_t index, std::size_t count) {
  Relay& relay = *relays_[index];
  const auto transaction = memory::begin(relay.database, clock_);
  for (std::size_t made = 0; made < count; ++made) {
    const auto written =
        transaction->enqueue({.topic = "order.placed", .payload = "{}", .event_id = fmt::format("e{}", ++produced_)});
    relay.outstanding.insert(fmt::format("e{}", produced_));
    if (!written) violated("a message could not be written: " + written.error().message);
  }
  if (!transaction->commit()) violated("a message could not be committed");
  relay.sign.is_woken = true;
}

/// One round of the loop: what has arrived, an exchange in full if one is due, and what may be sent.
void EndpointWorld::act(std::size_t index, CallFault fault, Chance& chance) {
  Relay& relay = *relays_[index];
  Node& node = *relay.node;
  relay.sign.is_woken = false;
  summary_.woken += std::exchange(relay.sign.has_place, false) ? 1U : 0U;
  if (std::exchange(relay.sign.has_changed, false)) {
    const bool was_broken = node.is_broken(shop);
    if (!node.owner().empty()) node.hear(clock_.monotonic());
    summary_.outages += was_broken != node.is_broken(shop) ? 1U : 0U;
  }
  release(index, chance);
  const Owner before = node.owner();
  do {
    const CallFault of_commit = node.is_between_exchanges() ? CallFault::none : fault;
    node.step(clock_.monotonic(), of_commit, chance.next());
    if (const Turn* decided = node.take_decided()) check_health(relay, *decided);
    node.take_committed();
  } while (!node.is_between_exchanges());
  note_ownership(relay, before);
  release(index, chance);
  node.assert_consistent();
  node.drop_reports();
  node.take_news();
  relay.wake_at = node.owner().empty() ? clock_.monotonic() : node.next_wake(clock_.monotonic());
  check_limits();
}

void EndpointWorld::lose(std::size_t index, Chance& chance) {
  Relay& relay = *relays_[index];
  const Owner before = relay.node->owner();
  relay.node->lose();
  note_ownership(relay, before);
  relay.wake_at = clock_.monotonic();
  if (chance.one_in(2)) act(index, CallFault::none, chance);
}

/// What the former owner has sent is answered to nobody.
void EndpointWorld::note_ownership(Relay& relay, const Owner& before) {
  if (relay.node->owner() == before) return;
  relay.success.reset();
  const auto count =
      std::erase_if(flights_, [&](const Flight& flight) { return !flight.owner.empty() && flight.owner == before; });
  summary_.fenced += count > 0 ? 1U : 0U;
}

void EndpointWorld::release(std::size_t index, Chance& chance) {
  Node& node = *relays_[index]->node;
  const MonotonicTime now = clock_.monotonic();
  for (Delivery& delivery : node.release(now)) {
    ++summary_.sent;
    summary_.story.push_back(
        fmt::format("{} sends {} at {}", node.owner(), delivery.message->event_id, clock_.elapsed.count()));
    if (index != stranger) sends_.push_back(now);
    flights_.push_back({.relay = index,
                        .owner = node.owner(),
                        .delivery = std::move(delivery),
                        .ends_at = now + draw_service(chance)});
  }
}

Duration EndpointWorld::draw_service(Chance& chance) const {
  return Duration(1 + static_cast<Duration::rep>(chance.below(static_cast<std::size_t>(service_max.count()))));
}

void EndpointWorld::call_as_shard(Chance& chance) {
  const MonotonicTime now = clock_.monotonic();
  if (!shard_.take_place(shop, now)) return void(++summary_.refused);
  ++summary_.sent;
  sends_.push_back(now);
  flights_.push_back({.relay = {}, .was_probe = shard_.is_probe(shop), .ends_at = now + draw_service(chance)});
  check_limits();
}

void EndpointWorld::end(std::size_t index, bool is_up) {
  const Flight flight = std::move(flights_[index]);
  flights_.erase(flights_.begin() + static_cast<std::ptrdiff_t>(index));
  const Outcome outcome = is_up ? Outcome::ok() : Outcome::unreachable("DOWN");
  if (is_up && shares(flight)) {
    for (const auto& relay : relays_) relay->success = clock_.now();
    relays_[stranger]->success.reset();
  }
  if (!flight.relay) return shard_.ended(shop, outcome, flight.was_probe, clock_.monotonic(), clock_.now());
  Relay& relay = *relays_[*flight.relay];
  relay.node->answered({flight.delivery.ticket, outcome}, clock_.monotonic());
  if (is_up) relay.outstanding.erase(std::string(flight.delivery.message->event_id));
  relay.sign.is_woken = true;
}

/// To the next thing that happens, and not further than `most`.
void EndpointWorld::pass_time(Duration most) {
  const MonotonicTime now = clock_.monotonic();
  MonotonicTime next = now + most;
  for (const auto& relay : relays_) next = std::min(next, relay->wake_at);
  for (const Flight& flight : flights_) next = std::min(next, flight.ends_at);
  clock_.elapsed += std::max<Duration>(next - now, 1us);
}

/// All whose time has come, or who were woken.
void EndpointWorld::let_all_act(Chance& chance) {
  for (std::size_t index = 0; index < relays_.size() && summary_.violations.empty(); ++index) {
    const Relay& relay = *relays_[index];
    if (relay.sign.is_woken || relay.wake_at <= clock_.monotonic()) act(index, CallFault::none, chance);
  }
}

/// Answers come one by one, and who gets one acts at once: it is faster than those who are told of its place.
bool EndpointWorld::come_to_rest(Chance& chance, Duration patience) {
  const MonotonicTime until = clock_.monotonic() + patience;
  const auto is_at_rest = [&] {
    return flights_.empty() &&
           std::ranges::all_of(relays_, [](const auto& relay) { return relay->outstanding.empty(); });
  };
  while (clock_.monotonic() < until && summary_.violations.empty()) {
    let_all_act(chance);
    if (is_at_rest()) return true;
    const auto next = std::ranges::min_element(flights_, {}, &Flight::ends_at);
    if (next != flights_.end() && next->ends_at <= clock_.monotonic()) {
      const auto relay = next->relay;
      end(static_cast<std::size_t>(next - flights_.begin()), is_up_);
      if (relay) act(*relay, CallFault::none, chance);
    } else {
      pass_time(shard_asks_every);
    }
  }
  return false;
}

/// A lane with little to send is through long before its neighbour with much.
void EndpointWorld::check_that_nobody_is_passed_over(Chance& chance) {
  produce(0, many);
  act(0, CallFault::none, chance);
  produce(1, few);
  while (!relays_[1]->outstanding.empty() && summary_.violations.empty()) {
    if (relays_[0]->outstanding.size() < many / 2) violated("a lane waited for the whole backlog of another");
    if (!come_to_rest(chance, service_max) && flights_.empty() && relays_[0]->outstanding.empty()) break;
  }
  if (summary_.violations.empty() && !come_to_rest(chance, rest_within))
    violated("it did not come to rest again: " + what_is_left());
}

void EndpointWorld::check_limits() {
  const auto shared =
      static_cast<std::size_t>(std::ranges::count_if(flights_, [&](const Flight& each) { return shares(each); }));
  if (shared > settings_.in_flight_max)
    violated(fmt::format("{} are in flight to a destination that takes {}", shared, settings_.in_flight_max));
  if (flights_.size() - shared > 1) violated("the stranger has more in flight than it may");
  while (!sends_.empty() && sends_.front() + 1s <= clock_.monotonic()) sends_.pop_front();
  if (settings_.rate_max > 0 && static_cast<double>(sends_.size()) > settings_.rate_max)
    violated("more was sent in a second than the rate allows");
}

/// What is stored of it does not reach back beyond a success that anybody had.
void EndpointWorld::check_health(const Relay& relay, const Turn& decided) {
  const auto failing = decided.position.failing.find(std::string(shop));
  if (failing == decided.position.failing.end() || !relay.success) return;
  if (failing->second.since < *relay.success) violated("it is failing although it has answered another caller");
}

std::string EndpointWorld::what_is_left() {
  std::string left = fmt::format("{} in flight", flights_.size());
  for (const auto& relay : relays_) {
    const LaneFigures figures = relay->node->figures();
    left += fmt::format(
        "; {} has {} left, {} parked, {} unread, {} in flight, {} in the window, {} sides, wakes in {} us{}",
        relay->node->owner(), relay->outstanding.size(), figures.parked_count, figures.unread_count,
        figures.in_flight_count, figures.window_count, figures.side_lane_count,
        (relay->wake_at - clock_.monotonic()).count(), relay->node->is_broken(shop) ? ", broken" : "");
  }
  return left;
}

void EndpointWorld::violated(const std::string& sentence) {
  summary_.violations.push_back(fmt::format("P9: {} (at {} us)", sentence, clock_.elapsed.count()));
}

}  // namespace makegood::sim
