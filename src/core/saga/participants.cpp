#include "core/saga/participants.hpp"

#include <algorithm>
#include <utility>

#include "base/saga_url.hpp"

namespace makegood::core {
namespace {

using namespace std::chrono_literals;

/// It is longer than an execution is kept in memory for: somebody may register it at any time, or never.
constexpr Duration missing_wait = 5s;
/// It may have been registered just now.
constexpr Duration sought_wait = 500ms;
constexpr Duration unknown_wait = 2s;
constexpr Duration place_wait = 20ms;

bool is_function(std::string_view uri) { return uri.starts_with("fn:"); }

Error not_registered(std::string_view name) {
  std::string sentence = "Steps of sagas call ";
  sentence.append(name).append(is_whole_url(name)
                                   ? ", and no registered destination has a URL that it begins with; they wait for one"
                                   : ", which is not registered; they wait until it is");
  sentence.append(" (makegood destinations add).");
  return {Errc::no_route, std::move(sentence)};
}

Error not_here(std::string_view name, const Outcome& outcome) {
  std::string sentence = "Steps of sagas call ";
  sentence.append(name).append(is_function(name)
                                   ? ", a function that this node has not; they wait for a node that has it."
                                   : ", which this node cannot call; they wait for a node that can.");
  return {Errc::no_route, std::move(sentence), outcome.detail};
}

}  // namespace

ParticipantName participant_of(std::string_view uri) {
  if (is_function(uri) || is_whole_url(uri)) return {.destination = uri};
  const std::size_t slash = uri.find('/');
  if (slash == std::string_view::npos) return {.destination = uri};
  return {.destination = uri.substr(0, slash), .path = uri.substr(slash + 1)};
}

std::optional<std::string_view> path_at(std::string_view uri, const Destination& destination) {
  const ParticipantName participant = participant_of(uri);
  if (participant.destination == destination.name) return participant.path;
  return is_whole_url(uri) ? path_below(uri, url_for_actions(destination)) : std::nullopt;
}

void Participants::configure(const std::vector<Destination>& destinations) {
  ++configured_;
  urls_.clear();
  names_.clear();
  for (const Destination& destination : destinations) {
    if (std::string url = url_for_actions(destination); !url.empty()) {
      urls_.push_back(std::move(url));
      names_.push_back(destination.name);
    }
    const auto known = participants_.find(destination.name);
    auto settings = std::make_shared<const Destination>(destination);
    if (known == participants_.end()) {
      Participant& added =
          participants_.emplace(destination.name, Participant{settings, Line(settings, false, sharing_)}).first->second;
      added.endpoint.configure(std::move(settings));
      sought_.erase(destination.name);
    } else if (*known->second.settings != destination) {
      known->second.settings = settings;
      known->second.endpoint.configure(std::move(settings));
    }
  }
  std::erase_if(sought_,
                [&](const auto& each) { return is_whole_url(each.first) && longest_below(each.first, urls_); });
  std::erase_if(participants_, [&](const auto& each) {
    const bool is_wanted = is_function(each.first) ||
                           std::ranges::find(destinations, each.first, &Destination::name) != destinations.end();
    return !is_wanted && each.second.endpoint.in_flight() == 0;
  });
}

std::string_view Participants::name_of(std::string_view uri) const {
  const std::string_view name = participant_of(uri).destination;
  if (!is_whole_url(name) || participants_.contains(name)) return name;
  const auto carrier = longest_below(name, urls_);
  return carrier ? std::string_view(names_[*carrier]) : name;
}

Participants::Participant* Participants::find(std::string_view uri) {
  const std::string_view name = name_of(uri);
  const auto found = participants_.find(name);
  if (found != participants_.end()) return &found->second;
  return is_function(name) ? add_function(name) : nullptr;
}

Participants::Participant* Participants::add_function(std::string_view name) {
  auto settings = std::make_shared<const Destination>(Destination{.name = std::string(name)});
  return &participants_.emplace(name, Participant{settings, Line(settings)}).first->second;
}

/// Nobody has it. It is missing if it was not there either when somebody asked once more.
void Participants::seek(std::string_view name) {
  auto sought = sought_.find(name);
  if (sought == sought_.end()) {
    sought_.emplace(name, Sought{.since = configured_});
    has_wish_ = true;
  } else if (!sought->second.is_missing && configured_ > sought->second.since) {
    sought->second.is_missing = true;
    alarms_.push_back(not_registered(name));
  }
}

/// A transport says so that it has no such function, or that there is no such transport.
void Participants::judge_presence(std::string_view name, const Outcome& outcome) {
  const bool is_nobody = outcome.reach == Outcome::Reach::unreachable && outcome.code == to_string(Errc::no_route);
  if (is_nobody && !is_missing(name)) {
    sought_[std::string(name)].is_missing = true;
    alarms_.push_back(not_here(name, outcome));
  }
  if (outcome.is_answer()) {
    if (const auto sought = sought_.find(name); sought != sought_.end()) sought_.erase(sought);
  }
}

bool Participants::is_missing(std::string_view uri) const {
  const auto sought = sought_.find(name_of(uri));
  return sought != sought_.end() && sought->second.is_missing;
}

bool Participants::take_place(std::string_view uri, MonotonicTime now) {
  Participant* participant = find(uri);
  if (participant == nullptr) seek(name_of(uri));
  if (participant == nullptr) return false;
  const auto place = participant->endpoint.take_place(now);
  if (!place) {
    participant->endpoint.wait_for_place(now);
    return false;
  }
  participant->is_probing = place->is_probe;
  return true;
}

bool Participants::is_probe(std::string_view uri) const {
  const auto found = participants_.find(name_of(uri));
  return found != participants_.end() && found->second.is_probing;
}

Duration Participants::wait_for_place(std::string_view uri, MonotonicTime now) {
  Participant* participant = find(uri);
  if (participant == nullptr) return is_missing(uri) ? missing_wait : sought_wait;
  const MonotonicTime next = participant->endpoint.next_send(now);
  if (next == MonotonicTime::max()) return unknown_wait;
  return std::max<Duration>(place_wait, next - now);
}

void Participants::ended(std::string_view uri, const Outcome& outcome, bool was_probe, MonotonicTime now,
                         TimePoint store_now) {
  Participant* participant = find(uri);
  if (participant == nullptr || participant->endpoint.in_flight() == 0) return;
  judge_presence(name_of(uri), outcome);
  if (outcome.kind == Outcome::Kind::returned) {
    participant->endpoint.returned(was_probe);
  } else {
    participant->endpoint.answered(outcome, was_probe, now, store_now);
  }
}

DestinationPtr Participants::settings_of(std::string_view uri) const {
  const auto found = participants_.find(name_of(uri));
  return found == participants_.end() ? nullptr : found->second.settings;
}

std::size_t Participants::broken_count() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(participants_, [](const auto& each) { return each.second.endpoint.is_broken(); }));
}

void Participants::hear(TimePoint store_now) {
  for (auto& [name, participant] : participants_) participant.endpoint.hear(store_now);
}

void Participants::clear() {
  for (auto& [name, participant] : participants_) participant.endpoint.clear();
}

}  // namespace makegood::core
