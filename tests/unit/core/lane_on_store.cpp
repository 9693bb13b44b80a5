#include "tests/unit/core/lane_on_store.hpp"

#include <algorithm>

#include "stores/memory/database.hpp"

namespace makegood::core {
namespace {

std::optional<SideLane> find_side(const Position& position, const Scope& scope, bool is_history) {
  for (const SideLane& lane : position.sides) {
    if (lane.scope == scope && (lane.why == Why::history) == is_history) return lane;
  }
  return std::nullopt;
}

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

LaneOnStore::LaneOnStore() {
  options.is_cleaner_enabled = false;
  add_destination("fn:a");
}

Destination& LaneOnStore::destination(const std::string& name) {
  return *std::ranges::find(options.destinations, name, &Destination::name);
}

Destination& LaneOnStore::add_destination(const std::string& name, const std::string& pattern) {
  options.routes.push_back({.pattern = pattern, .destination = name});
  return options.destinations.emplace_back(
      Destination{.name = name,
                  .retry = {.base = 1s, .jitter = 0},
                  .circuit = {.failures_max = 3, .wait_min = 10s, .wait_max = 1min}});
}

NewMessage LaneOnStore::message(std::string key, std::string tenant) {
  NewMessage message = a_message("m").with_key(std::move(key)).of_tenant(std::move(tenant));
  message.event_id.clear();
  return message;
}

Sequence LaneOnStore::enqueue(const NewMessage& message) {
  const auto enqueued = store_->enqueue({&message, 1});
  EXPECT_TRUE(enqueued);
  return enqueued->front().sequence;
}

void LaneOnStore::enqueue(std::size_t count, const NewMessage& like) {
  for (std::size_t i = 0; i < count; ++i) enqueue(like);
}

void LaneOnStore::begin(const Owner& former) {
  relay_.emplace(*store_, clock_, options);
  ASSERT_TRUE(relay_->take(former));
}

void LaneOnStore::take() { begin({}); }

void LaneOnStore::die_and_take_over() {
  clock_.advance(options.lease);
  begin({});
}

void LaneOnStore::stop_and_take_over() {
  lane().stop();
  lane().give_up();
  exchange();
  begin({});
}

void LaneOnStore::take_again() {
  const Owner former = lane().owner();
  begin(former);
}

std::int64_t LaneOnStore::request(NewRequest request) {
  request.operator_name = "ann";
  const auto id = operators_->request(request);
  EXPECT_TRUE(id);
  return *id;
}

std::string LaneOnStore::answer_to(std::int64_t request) {
  const auto answer = operators_->answer_to(request);
  return answer && *answer ? **answer : "no answer";
}

std::string LaneOnStore::ask(NewRequest request) {
  const std::int64_t id = this->request(std::move(request));
  exchange();
  return answer_to(id);
}

std::string LaneOnStore::pause(const std::string& destination, const std::string& tenant) {
  return ask({.kind = RequestKind::pause, .destination = destination, .operator_name = {}, .tenant_id = tenant});
}

std::string LaneOnStore::resume(const std::string& destination, const std::string& tenant) {
  return ask({.kind = RequestKind::resume, .destination = destination, .operator_name = {}, .tenant_id = tenant});
}

std::string LaneOnStore::replay_history(Sequence from, Sequence until, const std::string& tenant,
                                        const std::string& destination) {
  return ask({.kind = RequestKind::history,
              .sequence = from,
              .destination = destination,
              .operator_name = {},
              .tenant_id = tenant,
              .until = until});
}

Sends LaneOnStore::sends() {
  Sends sends;
  for (Delivery& delivery : relay().release()) {
    sends.emplace_back(delivery.message->sequence, delivery.destination->name);
    received_.push_back(std::move(delivery));
  }
  return sends;
}

Numbers LaneOnStore::sent() {
  Numbers numbers;
  for (const auto& [sequence, destination] : sends()) numbers.push_back(sequence);
  return numbers;
}

void LaneOnStore::succeeds(Sequence sequence, const std::string& destination) {
  relay().answer(sequence, destination, Outcome::ok());
}

void LaneOnStore::fails(Sequence sequence, const std::string& destination) {
  relay().answer(sequence, destination, Outcome::retry("TX.TIMEOUT", "no answer"));
}

std::optional<Outcome> LaneOnStore::answer(const Delivery& delivery) {
  received_.push_back(delivery);
  if (is_among(silent, delivery.destination->name)) return std::nullopt;
  if (is_among(down, delivery.destination->name)) return Outcome::unreachable("TX.UNAVAILABLE", "it is down");
  return Outcome::ok();
}

void LaneOnStore::run() { run_for(20ms); }
void LaneOnStore::run_for(Duration time) { relay().run_until(now() + time, answers()); }

Numbers LaneOnStore::received(const std::string& destination) const {
  Numbers numbers;
  for (const Delivery& delivery : received_) {
    if (delivery.destination->name == destination) numbers.push_back(delivery.message->sequence);
  }
  return numbers;
}

Numbers LaneOnStore::received_of(const std::string& key) const {
  Numbers numbers;
  for (const Delivery& delivery : received_) {
    if (delivery.message->dispatch_key == key) numbers.push_back(delivery.message->sequence);
  }
  return numbers;
}

Position LaneOnStore::position() {
  auto view = operators_->lane();
  EXPECT_TRUE(view);
  Position position = view->position;
  position.clock = {};
  return position;
}

std::optional<SideLane> LaneOnStore::side(const Scope& scope) { return find_side(position(), scope, false); }
std::optional<SideLane> LaneOnStore::history(const Scope& scope) { return find_side(position(), scope, true); }

std::optional<Parked> LaneOnStore::parked(Sequence sequence, const std::string& destination) {
  auto access = database_->access();
  const memory::ParkedRow* row = memory::find_parked(access.state(), sequence, destination);
  return row == nullptr ? std::nullopt : std::optional(row->parked);
}

std::size_t LaneOnStore::parked_count() { return database_->access().state().parked.size(); }

std::vector<LaneNews::Kind> LaneOnStore::news() {
  std::vector<LaneNews::Kind> kinds;
  for (const LaneNews& news : lane().take_news()) kinds.push_back(news.kind);
  return kinds;
}

}  // namespace makegood::core
