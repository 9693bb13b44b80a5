#include "sim/checker.hpp"

#include <algorithm>
#include <utility>

namespace makegood::sim {

void Checker::violated(std::string sentence, const std::string& event_id) {
  if (violations_.empty()) culprit_ = event_id;
  violations_.push_back(std::move(sentence));
}

void Checker::committed(const std::string& event_id, Committed message) {
  committed_.emplace(event_id, std::move(message));
}

void Checker::rolled_back(const std::string& event_id) { rolled_back_.insert(event_id); }

void Checker::lost(const std::string& event_id) {
  const auto message = committed_.extract(event_id);
  if (message.empty()) return;
  lost_.insert(event_id);
  // Numbers are drawn anew, so the order of its key is counted from what is left.
  const std::string& key = message.mapped().key;
  if (key.empty()) return;
  std::erase_if(last_of_key_, [&](const auto& last) { return last.first.second == key; });
  for (const auto& [place, count] : arrivals_) {
    const auto left = committed_.find(place.second);
    if (left == committed_.end() || left->second.key != key) continue;
    Sequence& last = last_of_key_[{place.first, key}];
    last = std::max(last, left->second.sequence);
  }
}

void Checker::routed(const std::string& event_id, std::vector<std::string> destinations) {
  committed_.at(event_id).destinations = std::move(destinations);
}

void Checker::sent(const std::string& owner, const std::string& destination, const std::string& event_id,
                   bool is_zombie) {
  if (lost_.contains(event_id) || sent_again_.contains(event_id)) return;
  const Place place{destination, event_id};
  const auto message = committed_.find(event_id);
  if (message != committed_.end() && is_history(destination, message->second.sequence)) return;
  if (acknowledged_.contains({owner, place})) {
    violated("P12: " + event_id + " was sent to " + destination + " again by the owner that knew it had arrived",
             event_id);
  }
  if (recorded_.contains(place) && !is_zombie) {
    violated("P12: " + event_id + " was sent to " + destination + " again after a turn had recorded its success",
             event_id);
  }
}

void Checker::arrived(const std::string& destination, const std::string& event_id, const std::string& content) {
  ++arrival_count_;
  if (lost_.contains(event_id)) return;
  if (rolled_back_.contains(event_id)) {
    violated("P2: " + event_id + " was rolled back and arrived at " + destination, event_id);
  }
  const auto message = committed_.find(event_id);
  if (message == committed_.end()) {
    return violated("P2: " + event_id + " was never committed and arrived at " + destination, event_id);
  }
  if (content != message->second.content) violated("P5: " + event_id + " arrived with other bytes", event_id);
  if (arrivals_[{destination, event_id}]++ > 0) {
    ++duplicate_count_;
  } else {
    check_order(destination, event_id, message->second);
  }
}

void Checker::check_order(const std::string& destination, const std::string& event_id, const Committed& message) {
  // What is delivered again, or was led here by a replay, has no place in the order, for those before it either.
  if (message.key.empty() || is_history(destination, message.sequence)) return;
  Sequence& last = last_of_key_[{destination, message.key}];
  const bool is_excused = excused_.contains({destination, event_id}) || forgotten_.contains(event_id);
  if (message.sequence < last && !is_excused) {
    violated("P4: " + event_id + " (" + std::to_string(message.sequence) + ") arrived at " + destination + " after " +
                 std::to_string(last) + " of the same key " + message.key,
             event_id);
  }
  last = std::max(last, message.sequence);
}

void Checker::acknowledged(const std::string& owner, const std::string& destination, const std::string& event_id) {
  acknowledged_.insert({owner, {destination, event_id}});
}

void Checker::rewound() {
  for (const auto& [event_id, message] : committed_) sent_again_.insert(event_id);
}

void Checker::recorded(const std::string& destination, const std::string& event_id, std::int64_t turn) {
  const auto message = committed_.find(event_id);
  if (message == committed_.end() || is_history(destination, message->second.sequence)) return;
  recorded_.insert({{destination, event_id}, turn});
}

void Checker::forget_turns_above(std::int64_t turn) {
  std::erase_if(recorded_, [turn](const auto& record) { return record.second > turn; });
}

void Checker::excuse(const std::string& destination, const std::string& event_id) {
  excused_.insert({destination, event_id});
}

void Checker::replayed(const std::string& destination, const std::string& event_id) {
  excuse(destination, event_id);
  recorded_.erase({destination, event_id});
  std::erase_if(acknowledged_, [&](const auto& known) { return known.second == Place{destination, event_id}; });
}

void Checker::history_replayed(const std::string& destination, Sequence from, Sequence until) {
  histories_[destination].emplace_back(from, until);
  const auto is_again = [&](const Place& place) {
    const auto message = committed_.find(place.second);
    return place.first == destination && message != committed_.end() &&
           is_history(destination, message->second.sequence);
  };
  std::erase_if(recorded_, [&](const auto& record) { return is_again(record.first); });
  std::erase_if(acknowledged_, [&](const auto& known) { return is_again(known.second); });
}

bool Checker::is_history(const std::string& destination, Sequence sequence) const {
  const auto ranges = histories_.find(destination);
  return ranges != histories_.end() && std::ranges::any_of(ranges->second, [sequence](const auto& range) {
           return sequence >= range.first && sequence <= range.second;
         });
}

void Checker::at_rest(const std::set<std::pair<std::string, std::string>>& dead) {
  for (const auto& [event_id, message] : committed_) {
    for (const std::string& destination : message.destinations) {
      const Place place{destination, event_id};
      if (!arrivals_.contains(place) && !dead.contains(place)) {
        violated(std::string("P1: ").append(event_id).append(" never reached ").append(destination), event_id);
      }
    }
  }
  check_routes();
}

void Checker::check_routes() {
  for (const auto& [place, count] : arrivals_) {
    const auto message = committed_.find(place.second);
    if (message == committed_.end() || is_history(place.first, message->second.sequence)) continue;
    if (forgotten_.contains(place.second)) continue;
    const auto& destinations = message->second.destinations;
    if (std::ranges::find(destinations, place.first) == destinations.end()) {
      violated("P1: " + place.second + " arrived at " + place.first + ", where no route led", place.second);
    }
  }
}

}  // namespace makegood::sim
