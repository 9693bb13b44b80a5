#include "sim/checker.hpp"

#include <utility>

namespace makegood::sim {

void Checker::violated(std::string sentence) { violations_.push_back(std::move(sentence)); }

void Checker::committed(const std::string& event_id, Committed message) {
  committed_.emplace(event_id, std::move(message));
}

void Checker::rolled_back(const std::string& event_id) { rolled_back_.insert(event_id); }

void Checker::sent(const std::string& owner, const std::string& destination, const std::string& event_id) {
  if (acknowledged_.contains({owner, {destination, event_id}})) {
    violated("P12: " + event_id + " was sent to " + destination + " again by the owner that knew it had arrived");
  }
}

void Checker::arrived(const std::string& destination, const std::string& event_id, const std::string& content) {
  ++arrival_count_;
  if (rolled_back_.contains(event_id)) violated("P2: " + event_id + " was rolled back and arrived at " + destination);
  const auto message = committed_.find(event_id);
  if (message == committed_.end()) {
    violated("P2: " + event_id + " was never committed and arrived at " + destination);
    return;
  }
  if (content != message->second.content) violated("P5: " + event_id + " arrived with other bytes");
  if (arrivals_[{destination, event_id}]++ > 0) {
    ++duplicate_count_;
  } else {
    check_order(destination, event_id, message->second);
  }
}

void Checker::check_order(const std::string& destination, const std::string& event_id, const Committed& message) {
  if (message.key.empty()) return;
  Sequence& last = last_of_key_[{destination, message.key}];
  if (message.sequence < last && !excused_.contains({destination, event_id})) {
    violated("P4: " + event_id + " (" + std::to_string(message.sequence) + ") arrived at " + destination + " after " +
             std::to_string(last) + " of the same key " + message.key);
  }
  last = std::max(last, message.sequence);
}

void Checker::acknowledged(const std::string& owner, const std::string& destination, const std::string& event_id) {
  acknowledged_.insert({owner, {destination, event_id}});
}

void Checker::excuse(const std::string& destination, const std::string& event_id) {
  excused_.insert({destination, event_id});
}

void Checker::replayed(const std::string& destination, const std::string& event_id) {
  excuse(destination, event_id);
  std::erase_if(acknowledged_, [&](const auto& known) { return known.second == Place{destination, event_id}; });
}

void Checker::at_rest(const std::set<std::pair<std::string, std::string>>& dead) {
  for (const auto& [event_id, message] : committed_) {
    for (const std::string& destination : message.destinations) {
      const Place place{destination, event_id};
      if (!arrivals_.contains(place) && !dead.contains(place)) {
        violated(std::string("P1: ").append(event_id).append(" never reached ").append(destination));
      }
    }
  }
}

}  // namespace makegood::sim
