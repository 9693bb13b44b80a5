#include "tests/crash/turns.hpp"

#include <algorithm>
#include <sstream>

#include "makegood/spi/assert.hpp"

namespace makegood::crash {
namespace {

bool is_in(const std::vector<Sequence>& sorted, Sequence sequence) {
  return std::ranges::binary_search(sorted, sequence);
}

bool is_certain(std::string_view code) { return code != to_string(Errc::in_doubt); }

}  // namespace

Turns::Intent Turns::intent_of(const Line& line) {
  auto position = decode_position(line[3]);
  MAKEGOOD_ASSERT(position.has_value());
  Intent intent{.owner = line[1], .turn = std::stoll(line[2]), .position = *std::move(position), .parked = {}};
  std::istringstream changes(line[4]);
  std::string change;
  std::getline(changes, change, ',');  // The list begins with a dash.
  while (std::getline(changes, change, ',')) {
    const std::size_t first = change.find('|');
    const std::size_t last = change.rfind('|');
    const auto state = parked_state_from(change.substr(last + 1));
    MAKEGOOD_ASSERT(state.has_value());
    intent.parked[{change.substr(first + 1, last - first - 1), std::stoll(change.substr(0, first))}] = *state;
  }
  return intent;
}

void Turns::read(const Line& line) {
  if (line[0] == "turning") {
    Intent& intent = intents_[line[1]];
    for (const auto& [delivery, state] : intent.parked) uncertain_.insert(delivery);
    intent = intent_of(line);
  }
  if (line[0] == "taken") said(std::stoll(line[2]), line[1]);
  if (line[0] == "turn") committed(line);
  if (line[0] == "turn_failed") failed(line);
  if (line[0] == "sent") sent(line);
  if (line[0] == "seen") seen_.push_back({line[1], line[2]});
  if (line[0] == "all_seen") compare(std::exchange(seen_, {}));
  if (line[0] == "replayed" && sequence_of_.contains(line[2])) uncertain_.insert(sequence_of_[line[2]]);
}

void Turns::said(TurnNumber turn, const Owner& owner) {
  const auto [known, is_new] = owners_.emplace(turn, owner);
  if (!is_new) {
    violations_.push_back("P3: turn " + std::to_string(turn) + " was given to " + known->second + " and to " + owner);
  }
}

void Turns::committed(const Line& line) {
  said(std::stoll(line[2]), line[1]);
  const Intent intent = intents_.at(line[1]);
  intents_.erase(line[1]);
  denied_.erase({intent.turn, intent.owner});  // Tried again, as it may be.
  position_ = intent.position;
  for (const auto& [delivery, state] : intent.parked) parked_[delivery] = state;
}

void Turns::failed(const Line& line) {
  if (!is_certain(line[3])) return;
  denied_.insert({std::stoll(line[2]), line[1]});
  intents_.erase(line[1]);
}

void Turns::sent(const Line& line) {
  const Delivery delivery{line[2], std::stoll(line[4])};
  sequence_of_[line[3]] = delivery;
  if (has_ended(delivery)) violations_.push_back("P3: " + line[3] + " had ended and was sent again to " + line[2]);
}

bool Turns::is_uncertain(const Delivery& delivery) const {
  if (uncertain_.contains(delivery)) return true;
  return std::ranges::any_of(intents_, [&](const auto& intent) { return intent.second.parked.contains(delivery); });
}

bool Turns::has_ended(const Delivery& delivery) const {
  const auto& [destination, sequence] = delivery;
  if (is_uncertain(delivery) || sequence > position_.reached || position_.open.contains(sequence)) return false;
  // What a side lane carries is not in the lane's own part of the position.
  const auto is_here = [&](const SideLane& side) { return side.scope.destination == destination; };
  if (std::ranges::any_of(position_.sides, is_here)) return false;
  const auto under_way = position_.under_way.find(destination);
  if (under_way != position_.under_way.end() && is_in(under_way->second, sequence)) return false;
  const auto parked = parked_.find(delivery);
  return parked == parked_.end() || parked->second == ParkedState::done || parked->second == ParkedState::dead;
}

void Turns::compare(const std::vector<Line>& rows) {
  std::set<Owner> followed;
  std::optional<std::pair<TurnNumber, Owner>> last;
  for (const Line& row : rows) {
    if (row.size() != 2) continue;
    const std::pair<TurnNumber, Owner> turn{std::stoll(row[0]), row[1]};
    const auto& [number, owner] = turn;
    if (last && number != last->first + 1) violations_.push_back("P3: a turn is missing before " + row[0]);
    if (last && owner != last->second) followed.insert(last->second);
    if (followed.contains(owner)) violations_.push_back("P3: " + owner + " came back with turn " + row[0]);
    if (denied_.contains(turn)) violations_.push_back("P3: turn " + row[0] + " was denied and is there");
    const auto told = owners_.find(number);
    if (told != owners_.end() && told->second != owner) violations_.push_back("P3: turn " + row[0] + " is another's");
    last = turn;
  }
  if (!owners_.empty() && (!last || last->first < owners_.rbegin()->first)) {
    violations_.emplace_back("P3: the last turn that was acknowledged is gone");
  }
}

}  // namespace makegood::crash
