#include "sim/world.hpp"

#include <algorithm>
#include <utility>

namespace makegood::sim {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t producers_max = 4;
constexpr std::size_t flights_max = 64;
constexpr int rest_rounds_max = 200'000;

Faults draw_faults(Chance& chance) {
  const std::uint64_t bits = chance.next();
  const auto is_on = [bits](unsigned bit) { return (bits >> bit & 1U) != 0; };
  return {.crashes = is_on(0),
          .pauses = is_on(1),
          .lost_replies = is_on(2),
          .store_errors = is_on(3),
          .rollbacks = is_on(4),
          .refusals = is_on(5),
          .lost_answers = is_on(6),
          .replays = is_on(7),
          .delays = is_on(8),
          .jumps = is_on(9)};
}

Destination draw_destination(std::string name, Chance& chance) {
  constexpr Ordering orderings[] = {Ordering::block, Ordering::skip, Ordering::block_on_dead};
  return {.name = std::move(name),
          .in_flight_max = 1 + chance.below(8),
          .rate_max = chance.one_in(4) ? 50.0 : 0.0,
          .retry = {.attempts_max = static_cast<std::uint32_t>(1 + chance.below(4)), .base = 20ms, .cap = 500ms},
          .ordering = orderings[chance.below(3)]};
}

/// What may hold a delivery for ever: a dead letter of its key that blocks it until an operator speaks.
bool is_behind_a_dead_head(const memory::State& state, const Parked& held) {
  return std::ranges::any_of(state.blocking, [&](const memory::ParkedKey& place) {
    const Parked& head = state.parked.at(place).parked;
    return head.state == ParkedState::dead && head.sequence < held.sequence && head.destination == held.destination &&
           head.tenant_id == held.tenant_id && head.dispatch_key == held.dispatch_key;
  });
}

DispatcherOptions draw_options(Chance& chance) {
  DispatcherOptions options{.lease = 1s};
  options.destinations = {draw_destination("fn:a", chance), draw_destination("fn:b", chance)};
  options.routes = {{"both.*", "fn:a"}, {"both.*", "fn:b"}, {"one", "fn:a"}};
  options.limits = {.batch_rows_max = 1 + chance.below(8),
                    .batch_bytes_max = 2000 + chance.below(4000),
                    .window_rows_max = 2 + chance.below(24),
                    .window_bytes_max = 20'000};
  options.clean_interval = 500ms;
  options.clean = {.retention = chance.one_in(2) ? Duration(2s) : Duration(1h), .rows_max = 1 + chance.below(10)};
  return options;
}

}  // namespace

World::World(std::uint64_t seed)
    : chance_(seed),
      faults_(draw_faults(chance_)),
      database_(memory::new_database()),
      dead_letters_(memory::open_dead_letters(database_, clock_)),
      options_(draw_options(chance_)) {
  summary_.seed = seed;
  const std::size_t node_count = 1 + chance_.below(3);
  for (std::size_t index = 0; index < node_count; ++index) {
    auto store = memory::open_store(database_, clock_);
    nodes_.push_back(std::make_unique<Node>("n" + std::to_string(index), std::move(store), options_, chance_.next()));
  }
  paused_until_.resize(node_count);
}

World::~World() = default;

Summary World::run(std::uint64_t steps) {
  for (; summary_.steps < steps && checker_.violations().empty(); ++summary_.steps) step();
  if (checker_.violations().empty()) come_to_rest();
  settle_accounts();
  return summary_;
}

void World::trace(std::uint64_t what, std::uint64_t detail) {
  constexpr std::uint64_t prime = 1099511628211U;
  summary_.trace = ((summary_.trace ^ what) * prime ^ detail) * prime;
}

void World::step() {
  switch (chance_.below(24)) {
    case 0:
      return crash_a_node();
    case 1:
      return pause_a_node();
    case 2:
      return ask_for_a_replay();
    case 3:
    case 4:
    case 5:
      return produce();
    case 6:
    case 7:
      return end_a_transaction();
    case 8:
    case 9:
    case 10:
    case 11:
      return pass_time();
    case 12:
    case 13:
    case 14:
    case 15:
    case 16:
      return let_one_arrive();
    default:
      return step_a_node();
  }
}

// Producers: concurrent transactions that draw numbers, commit late or roll back. One that uses a key locks it first,
// as an application locks its aggregate; that is what makes log order mean something.

void World::produce() {
  if (producers_.size() < producers_max && chance_.one_in(2)) {
    producers_.push_back({.transaction = memory::begin(database_, clock_)});
  }
  if (!producers_.empty()) enqueue(producers_[chance_.below(producers_.size())]);
}

void World::enqueue(Producer& producer) {
  const std::string event_id = "e" + std::to_string(next_event_++);
  NewMessage message{.topic = chance_.one_in(20)  ? "nowhere"
                              : chance_.one_in(3) ? "one"
                                                  : "both.x",
                     .payload = "\"" + event_id + "\"",
                     .event_id = event_id};
  if (faults_.delays && chance_.one_in(8)) {
    message.available_at = clock_.now() + std::chrono::milliseconds(chance_.below(2000));
  } else if (!chance_.one_in(4)) {
    message.dispatch_key = "k" + std::to_string(chance_.below(3));
    const bool is_ours = producer.keys.contains(message.dispatch_key);
    if (!is_ours && !locked_keys_.insert(message.dispatch_key).second) return;
    producer.keys.insert(message.dispatch_key);
  }
  const auto enqueued = producer.transaction->enqueue(message);
  if (!enqueued) return;
  std::vector<std::string> destinations = {"fn:a", "fn:b"};
  if (message.topic == "one") destinations = {"fn:a"};
  if (message.topic == "nowhere") destinations = {std::string(unrouted)};
  producer.written.emplace_back(
      event_id, Checker::Committed{enqueued->sequence, message.dispatch_key, message.payload, std::move(destinations)});
  trace(1, static_cast<std::uint64_t>(enqueued->sequence));
}

void World::end_a_transaction() {
  if (producers_.empty()) return;
  const auto place = producers_.begin() + static_cast<std::ptrdiff_t>(chance_.below(producers_.size()));
  Producer producer = std::move(*place);
  producers_.erase(place);
  const bool is_commit = !(faults_.rollbacks && chance_.one_in(4));
  for (auto& [event_id, message] : producer.written) {
    if (is_commit) {
      events_[message.sequence] = event_id;
      checker_.committed(event_id, std::move(message));
    } else {
      checker_.rolled_back(event_id);
    }
  }
  if (is_commit && !producer.transaction->commit()) summary_.violations.emplace_back("a commit was refused");
  for (const std::string& key : producer.keys) locked_keys_.erase(key);
  trace(2, is_commit ? 1 : 0);
}

void World::step_a_node() {
  const std::size_t index = chance_.below(nodes_.size());
  if (is_paused(index)) return;
  CommitFault fault = CommitFault::none;
  if (faults_.lost_replies && chance_.one_in(50)) fault = CommitFault::lost_reply;
  if (faults_.store_errors && chance_.one_in(20)) fault = CommitFault::before;
  step(*nodes_[index], index, fault);
}

void World::step(Node& node, std::size_t index, CommitFault fault) {
  const MonotonicTime now = clock_.monotonic();
  node.step(now, fault);
  if (const auto turn = node.take_committed()) notice(*turn);
  for (Delivery& delivery : node.release(now)) {
    const auto& settings = *delivery.destination;
    if (delivery.attempt > attempts_max(settings.retry)) {
      summary_.violations.push_back("I6: attempt " + std::to_string(delivery.attempt) + " is beyond the limit");
    }
    checker_.sent(node.owner(), settings.name, std::string(delivery.message->event_id));
    trace(3, static_cast<std::uint64_t>(delivery.message->sequence));
    flights_.push_back({index, node.life(), node.owner(), std::move(delivery)});
  }
}

/// What a committed turn says about order: a dead letter frees its key; one that others may pass has no place in it.
void World::notice(const Turn& turn) {
  trace(4, static_cast<std::uint64_t>(turn.position.reached));
  for (const Turn::Change& change : turn.parked) {
    const bool is_skipped = std::ranges::any_of(options_.destinations, [&](const Destination& destination) {
      return destination.name == change.row.destination && destination.ordering == Ordering::skip;
    });
    const bool is_dead = change.row.state == ParkedState::dead;
    if (is_dead || is_skipped) checker_.excuse(change.row.destination, events_[change.row.sequence]);
  }
}

void World::let_one_arrive() {
  if (flights_.empty()) return;
  const auto place = flights_.begin() + static_cast<std::ptrdiff_t>(chance_.below(flights_.size()));
  const Flight flight = std::move(*place);
  flights_.erase(place);
  if (faults_.refusals && chance_.one_in(4)) {
    return land(flight, false, chance_.one_in(8) ? Outcome::fail("NO") : Outcome::retry("LATER"));
  }
  if (faults_.lost_answers && chance_.one_in(10)) return land(flight, true, Outcome::retry("TX.TIMEOUT"));
  land(flight, true, Outcome::ok());
}

void World::land(const Flight& flight, bool has_effect, Outcome answer) {
  const std::string& destination = flight.delivery.destination->name;
  const std::string event_id(flight.delivery.message->event_id);
  if (has_effect) checker_.arrived(destination, event_id, std::string(flight.delivery.message->content));
  trace(5, flight.delivery.ticket + (has_effect ? 1 : 0));
  Node& node = *nodes_[flight.node];
  if (flight.life != node.life()) return;
  if (answer.kind == Outcome::Kind::ok && node.owner() == flight.owner) {
    checker_.acknowledged(flight.owner, destination, event_id);
  }
  node.answered({flight.delivery.ticket, std::move(answer)}, clock_.monotonic());
}

void World::crash_a_node() {
  if (!faults_.crashes || !chance_.one_in(10)) return;
  nodes_[chance_.below(nodes_.size())]->crash(chance_.next());
  ++summary_.crash_count;
  trace(6, summary_.crash_count);
}

void World::pause_a_node() {
  if (!faults_.pauses || !chance_.one_in(10)) return;
  paused_until_[chance_.below(nodes_.size())] =
      clock_.monotonic() + std::chrono::milliseconds(500 + chance_.below(4500));
}

void World::pass_time() {
  clock_.elapsed += std::chrono::microseconds(chance_.below(20'000));
  if (faults_.jumps && chance_.one_in(500)) clock_.shift += std::chrono::milliseconds(chance_.below(60'000)) - 30s;
  trace(7, static_cast<std::uint64_t>(clock_.elapsed.count()));
}

void World::ask_for_a_replay() {
  if (!faults_.replays || !chance_.one_in(5)) return;
  const auto letters = dead_letters_->list("", 0, 20);
  if (!letters || letters->empty()) return;
  const Parked& row = (*letters)[chance_.below(letters->size())].parked;
  constexpr RequestKind kinds[] = {RequestKind::replay, RequestKind::replay, RequestKind::quarantine,
                                   RequestKind::release};
  const RequestKind kind = kinds[chance_.below(4)];
  if (kind == RequestKind::replay) checker_.replayed(row.destination, events_[row.sequence]);
  (void)dead_letters_->request({kind, row.sequence, row.destination, "sim", {}});
  ++summary_.replay_count;
}

// The second phase.

void World::come_to_rest() {
  faults_ = {};
  while (!producers_.empty()) end_a_transaction();
  std::ranges::fill(paused_until_, MonotonicTime{});
  for (int round = 0; round < rest_rounds_max; ++round) {
    for (std::size_t index = 0; index < nodes_.size(); ++index) step(*nodes_[index], index, CommitFault::none);
    let_one_arrive();
    if (round % 8 == 7) {
      if (is_at_rest()) return;
      clock_.elapsed += 5ms;
    }
  }
  summary_.violations.emplace_back("liveness: it did not come to rest");
}

/// Held is rest too, behind a dead head that blocks its key.
bool World::is_at_rest() {
  auto access = database_->access();
  const memory::State& state = access.state();
  const Position& position = state.position;
  return flights_.empty() && position.reached >= state.counter && position.open.empty() && position.under_way.empty() &&
         state.unanswered.empty() && state.waiting.empty();
}

void World::settle_accounts() {
  std::set<std::pair<std::string, std::string>> ended;
  {
    auto access = database_->access();
    for (const auto& [place, row] : access.state().parked) {
      const ParkedState parked = row.parked.state;
      if (parked == ParkedState::waiting || parked == ParkedState::done) continue;
      if (parked == ParkedState::held && !is_behind_a_dead_head(access.state(), row.parked)) {
        summary_.violations.push_back("liveness: " + events_[place.sequence] + " is held behind nothing");
      }
      ended.insert({place.destination, events_[place.sequence]});
      ++summary_.dead_count;
    }
  }
  if (summary_.violations.empty() && checker_.violations().empty()) checker_.at_rest(ended);
  for (const std::string& violation : checker_.violations()) summary_.violations.push_back(violation);
  for (const auto& node : nodes_) summary_.fenced_count += node->fenced_count();
  summary_.committed_count = checker_.committed_count();
  summary_.arrival_count = checker_.arrival_count();
  summary_.duplicate_count = checker_.duplicate_count();
  summary_.simulated = clock_.elapsed;
}

}  // namespace makegood::sim
