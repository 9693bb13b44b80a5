#include "tests/unit/core/lane_story.hpp"

#include <algorithm>

namespace makegood::core {

using testing_support::committed_message;

Row::operator MessagePtr() const {
  auto message = std::const_pointer_cast<Message>(committed_message(texts_, sequence_));
  message->priority = priority_;
  message->created_at = created_at_;
  message->available_at = available_at_.value_or(created_at_);
  message->expires_at = expires_at_;
  return message;
}

LaneStory::LaneStory() {
  options.outbox = "shop_outbox";
  options.is_cleaner_enabled = false;
  add_destination("fn:a");
}

Destination& LaneStory::destination(const std::string& name) {
  return *std::ranges::find(options.destinations, name, &Destination::name);
}

Destination& LaneStory::add_destination(const std::string& name, const std::string& pattern) {
  options.routes.push_back({.pattern = pattern, .destination = name});
  // Without jitter and with a base of a second every delay can be read off.
  return options.destinations.emplace_back(Destination{.name = name, .retry = {.base = 1s, .jitter = 0}});
}

void LaneStory::begin(Taken taken) {
  lane_.emplace(options, 7, running_ahead);
  taken.turn = ++turn_number_;
  taken.now = store_now();
  taken.routings = routings_;
  position_ = taken.position;
  reached_ = taken.position.reached;
  is_draft_ = false;
  tickets_.clear();
  lane().begin("owner-" + std::to_string(++takings_), std::move(taken), now_);
}

void LaneStory::take(const Position& position, const std::vector<NextDue>& next_due) {
  Taken taken{.position = position, .now = {}};
  taken.next_due = next_due;
  routings_ = {{.version = 1, .routes = options.routes, .destinations = options.destinations}};
  begin(std::move(taken));
}

void LaneStory::take_over() {
  Taken taken{.position = position_, .mark = mark_, .now = {}};
  std::map<std::string, TimePoint> next_due;
  for (const auto& [name, row] : stored_) {
    if (row.blocks) taken.blocking.push_back(row);
    if (row.state != ParkedState::waiting) continue;
    const auto [place, is_first] = next_due.emplace(row.destination, row.due_at);
    if (!is_first) place->second = std::min(place->second, row.due_at);
  }
  for (const auto& [name, due_at] : next_due) taken.next_due.push_back({name, due_at});
  begin(std::move(taken));
}

void LaneStory::remember(const std::vector<MessagePtr>& rows) {
  for (const MessagePtr& message : rows) messages_[message->sequence] = message;
}

bool LaneStory::look(const Seen& seen) {
  const LookFor wanted = asks();
  remember(seen.rows);
  Sequence last = wanted.reached;
  for (const MessagePtr& message : seen.rows) last = std::max(last, message->sequence);
  std::vector<Found::Side> sides;  // They find nothing here.
  for (const LookFor::Side& side : wanted.sides) sides.push_back({.looked_to = side.reached, .unread = side.numbers});
  const Turn* decided = lane().decide({.now = store_now(),
                                       .counter = seen.counter.value_or(last),
                                       .looked_to = seen.looked_to.value_or(last),
                                       .rows = seen.rows,
                                       .unread = seen.unread,
                                       .open = seen.open,
                                       .due = seen.due,
                                       .next_due = seen.next_due,
                                       .requests = seen.requests,
                                       .is_more = seen.is_more,
                                       .trouble = seen.trouble,
                                       .first_row = seen.first_row,
                                       .sides = std::move(sides)},
                                      now_);
  is_draft_ = decided != nullptr;
  turn_ = is_draft_ ? *decided : Turn{};
  turn_.position.clock = {};  // That of the story.
  return is_draft_;
}

void LaneStory::commit(std::size_t cleaned) {
  ASSERT_TRUE(std::exchange(is_draft_, false)) << "there is no turn to commit";
  EXPECT_EQ(turn_.after, turn_number_);
  for (const Turn::Change& change : turn_.parked) write(change.row);
  position_ = turn_.position;
  mark_ = turn_.mark;
  if (turn_.routing) routings_.push_back(*turn_.routing);
  lane().committed({.turn = ++turn_number_, .cleaned = cleaned}, now_);
}

void LaneStory::exchange(const Seen& seen) {
  if (look(seen)) commit();
}

void LaneStory::write(const Parked& parked, MessagePtr message) {
  Parked& row = stored_[{parked.sequence, parked.destination}];
  const std::string code = row.error_code;
  const std::string text = row.last_error;
  row = parked;
  if (parked.error_code.empty()) {
    row.error_code = code;
    row.last_error = text;
  }
  if (message != nullptr) messages_[parked.sequence] = std::move(message);
}

Parked LaneStory::stored(Sequence sequence, const std::string& destination) const {
  const auto found = stored_.find({sequence, destination});
  if (found != stored_.end()) return found->second;
  ADD_FAILURE() << sequence << " was never parked at " << destination;
  return {};
}

DueDelivery LaneStory::due(Sequence sequence, const std::string& destination) const {
  const auto message = messages_.find(sequence);
  return {stored(sequence, destination), message == messages_.end() ? nullptr : message->second};
}

Request LaneStory::asked(RequestKind kind, Sequence sequence, const std::string& destination) {
  Request request{.id = ++requests_, .asked = {kind, sequence, destination, "ann", "because"}};
  if (const auto found = stored_.find({sequence, destination}); found != stored_.end()) request.row = found->second;
  return request;
}

void LaneStory::answers(Sequence sequence, Outcome outcome, const std::string& destination) {
  const auto ticket = tickets_.find({sequence, destination});
  ASSERT_NE(ticket, tickets_.end()) << sequence << " was not sent to " << destination;
  lane().answered({{ticket->second, std::move(outcome)}}, now_);
}

void LaneStory::succeeds(Sequence sequence, const std::string& destination) {
  answers(sequence, Outcome::ok(), destination);
}

const Turn::Change* LaneStory::change_of(Sequence sequence, const std::string& destination) const {
  const Turn::Change* found = nullptr;
  for (const Turn::Change& change : turn_.parked) {
    if (change.row.sequence == sequence && change.row.destination == destination) found = &change;
  }
  return found;
}

bool LaneStory::is_parked(Sequence sequence, const std::string& destination) const {
  return change_of(sequence, destination) != nullptr;
}

Parked LaneStory::parked(Sequence sequence, const std::string& destination) const {
  if (const Turn::Change* change = change_of(sequence, destination)) return change->row;
  ADD_FAILURE() << "the turn does not park " << sequence << " at " << destination;
  return {};
}

std::optional<AttemptNote> LaneStory::note_on(Sequence sequence, const std::string& destination) const {
  const Turn::Change* change = change_of(sequence, destination);
  return change == nullptr ? std::nullopt : change->note;
}

Numbers LaneStory::under_way(const std::string& destination) const {
  const auto found = turn_.position.under_way.find(destination);
  return found == turn_.position.under_way.end() ? Numbers{} : found->second;
}

std::string LaneStory::answer_to(std::int64_t request) const {
  const auto found = std::ranges::find(turn_.answers, request, &RequestAnswer::id);
  return found == turn_.answers.end() ? "" : found->result;
}

std::vector<Delivery> LaneStory::release() {
  auto deliveries = lane().release(now_);
  for (const Delivery& delivery : deliveries) {
    tickets_[{delivery.message->sequence, delivery.destination->name}] = delivery.ticket;
  }
  return deliveries;
}

Numbers LaneStory::sent() {
  Numbers numbers;
  for (const Delivery& delivery : release()) numbers.push_back(delivery.message->sequence);
  return numbers;
}

Sends LaneStory::sends() {
  Sends sends;
  for (const Delivery& delivery : release()) sends.emplace_back(delivery.message->sequence, delivery.destination->name);
  return sends;
}

void LaneStory::send_first(const std::vector<MessagePtr>& rows) {
  take();
  exchange({.rows = rows});
  sent();
}

void LaneStory::fail_and_park(Sequence sequence, const std::string& destination) {
  answers(sequence, Outcome::retry("TX.TIMEOUT", "no answer"), destination);
  exchange();
}

void LaneStory::try_again(Sequence sequence, const std::string& destination) {
  now_ += std::max<Duration>(stored(sequence, destination).due_at - store_now(), {});
  exchange({.due = {due(sequence, destination)}});
  sent();
}

void LaneStory::kill(Sequence sequence, const std::string& destination) {
  answers(sequence, Outcome::fail("NO_SUCH_ORDER", "the order is gone"), destination);
  exchange();
}

}  // namespace makegood::core
