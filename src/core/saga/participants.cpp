#include "core/saga/participants.hpp"

#include <algorithm>
#include <utility>

namespace makegood::core {
namespace {

using namespace std::chrono_literals;

/// Nobody has registered it: somebody may do so at any time.
constexpr Duration unregistered_wait = 2s;
constexpr Duration place_wait = 20ms;

bool is_function(std::string_view uri) { return uri.starts_with("fn:"); }
bool is_url(std::string_view uri) { return uri.find("://") != std::string_view::npos; }

}  // namespace

ParticipantName participant_of(std::string_view uri) {
  if (is_function(uri) || is_url(uri)) return {.destination = uri};
  const std::size_t slash = uri.find('/');
  if (slash == std::string_view::npos) return {.destination = uri};
  return {.destination = uri.substr(0, slash), .path = uri.substr(slash + 1)};
}

void Participants::configure(const std::vector<Destination>& destinations) {
  for (const Destination& destination : destinations) {
    const auto known = participants_.find(destination.name);
    auto settings = std::make_shared<const Destination>(destination);
    if (known == participants_.end()) {
      Participant& added =
          participants_.emplace(destination.name, Participant{settings, Line(settings, false, sharing_)}).first->second;
      added.endpoint.configure(std::move(settings));
    } else if (*known->second.settings != destination) {
      known->second.settings = settings;
      known->second.endpoint.configure(std::move(settings));
    }
  }
  std::erase_if(participants_, [&](const auto& each) {
    const bool is_wanted = is_function(each.first) ||
                           std::ranges::find(destinations, each.first, &Destination::name) != destinations.end();
    return !is_wanted && each.second.endpoint.in_flight() == 0;
  });
}

Participants::Participant* Participants::find(std::string_view uri) {
  const std::string_view name = participant_of(uri).destination;
  const auto found = participants_.find(name);
  if (found != participants_.end()) return &found->second;
  return is_function(name) ? add_function(name) : nullptr;
}

Participants::Participant* Participants::add_function(std::string_view name) {
  auto settings = std::make_shared<const Destination>(Destination{.name = std::string(name)});
  return &participants_.emplace(name, Participant{settings, Line(settings)}).first->second;
}

bool Participants::take_place(std::string_view uri, MonotonicTime now) {
  Participant* participant = find(uri);
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
  const auto found = participants_.find(participant_of(uri).destination);
  return found != participants_.end() && found->second.is_probing;
}

Duration Participants::wait_for_place(std::string_view uri, MonotonicTime now) {
  Participant* participant = find(uri);
  if (participant == nullptr) return unregistered_wait;
  const MonotonicTime next = participant->endpoint.next_send(now);
  if (next == MonotonicTime::max()) return unregistered_wait;
  return std::max<Duration>(place_wait, next - now);
}

void Participants::ended(std::string_view uri, const Outcome& outcome, bool was_probe, MonotonicTime now,
                         TimePoint store_now) {
  Participant* participant = find(uri);
  if (participant == nullptr || participant->endpoint.in_flight() == 0) return;
  if (outcome.kind == Outcome::Kind::returned) {
    participant->endpoint.returned(was_probe);
  } else {
    participant->endpoint.answered(outcome, was_probe, now, store_now);
  }
}

DestinationPtr Participants::settings_of(std::string_view uri) const {
  const auto found = participants_.find(participant_of(uri).destination);
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
