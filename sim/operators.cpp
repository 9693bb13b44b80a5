// Operators: they ask, and the owner of the lane carries it out.
#include <algorithm>

#include "makegood/events.hpp"
#include "sim/world.hpp"

namespace makegood::sim {
namespace {

/// So many may be delivered between a request and its being carried out.
constexpr Sequence rows_on_their_way = 200;

/// Empty, for all of them, as often as one.
std::string any_tenant(Chance& chance) {
  if (chance.one_in(2)) return "";
  return chance.one_in(2) ? "t1" : "default";
}

}  // namespace

void World::operate(Chance& chance) {
  if (faults_.has(Fault::cancels) && chance.one_in(4)) return ask_to_cancel(chance);
  switch (chance.below(4)) {
    case 0:
      return ask_about_a_row(chance);
    case 1:
      return ask_to_pause(chance);
    case 2:
      return ask_for_history(chance);
    default:
      return reroute(chance);
  }
}

void World::ask(const NewRequest& request) {
  const auto id = operators_->request(request);
  if (id) asked_[*id] = request;
  trace(11, static_cast<std::uint64_t>(request.kind));
}

void World::ask_about_a_row(Chance& chance) {
  if (!faults_.has(Fault::requests) || states_.empty()) return;
  auto row = states_.begin();
  std::advance(row, static_cast<std::ptrdiff_t>(chance.below(states_.size())));
  constexpr RequestKind kinds[] = {RequestKind::replay,  RequestKind::replay,  RequestKind::replay,
                                   RequestKind::unblock, RequestKind::release, RequestKind::quarantine};
  const RequestKind kind = kinds[chance.below(6)];
  ask({.kind = kind, .sequence = row->first.second, .destination = row->first.first, .operator_name = "sim"});
}

/// One that was read lately, or is still to be read.
void World::ask_to_cancel(Chance& chance) {
  constexpr Sequence behind = 30;
  constexpr std::size_t around = 60;
  const Sequence from = std::max<Sequence>(1, position_.reached - behind);
  const auto sequence = from + static_cast<Sequence>(chance.below(around));
  ask({.kind = RequestKind::cancel_message, .sequence = sequence, .destination = {}, .operator_name = "sim"});
}

void World::ask_to_pause(Chance& chance) {
  if (!faults_.has(Fault::standstills) || !chance.one_in(4)) return;
  const Place& place = places_[chance.below(places_.size())];
  const std::string tenant_id = any_tenant(chance);
  const RequestKind kind = chance.one_in(3) ? RequestKind::pause : RequestKind::resume;
  ask({.kind = kind, .destination = place.name, .operator_name = "sim", .tenant_id = tenant_id});
}

void World::ask_for_history(Chance& chance) {
  if (!faults_.has(Fault::histories) || !chance.one_in(8)) return;
  const Place& place = places_[chance.below(places_.size())];
  const auto from = static_cast<Sequence>(1 + chance.below(static_cast<std::size_t>(position_.reached) + 1));
  const RequestKind kind = chance.one_in(5) ? RequestKind::cancel : RequestKind::history;
  const Sequence until = chance.one_in(2) ? 0 : from + static_cast<Sequence>(chance.below(20));
  if (kind == RequestKind::history)
    checker_.history_replayed(place.name, from, until > 0 ? until : position_.reached + rows_on_their_way);
  ask({.kind = kind,
       .sequence = from,
       .destination = place.name,
       .operator_name = "sim",
       .tenant_id = chance.one_in(2) ? "" : "t1",
       .until = until});
}

/// All processes get the new configuration, each at its own time.
void World::reroute(Chance& chance) {
  if (is_registry_in_store_) return ask_to_configure(chance);
  if (!faults_.has(Fault::reroutes) || !chance.one_in(8)) return;
  const std::string one = places_[chance.below(places_.size())].name;
  const std::string other = places_[chance.below(places_.size())].name;
  const bool are_events_routed = has_route(options_.routes, {}, delivery_died_topic, {});
  options_.routes = {{"both.*", "fn:a"}, {"both.*", other}, {"one", one}};
  if (chance.one_in(3)) options_.routes = {{"*.x", "fn:b"}, {"one", one}};
  if (are_events_routed) options_.routes.push_back({"makegood.*", one});
  for (const auto& node : nodes_) node->configure(options_);
  trace(13, options_.routes.size());
}

/// From here on the promises are those of the new state.
void World::notice_answer(const RequestAnswer& answer) {
  const auto asked = asked_.find(answer.id);
  if (asked != asked_.end() && asked->second.kind == RequestKind::rewind) is_rewind_asked_ = false;
  if (asked == asked_.end() || answer.result != "done") return;
  const NewRequest& request = asked->second;
  if (request.kind == RequestKind::rewind) {
    summary_.sites.hit(Site::rewound);
    checker_.rewound();
    replay_numbers_.forget();
  }
  if (request.sequence == 0) {
    const std::string scope = request.destination + (request.tenant_id.empty() ? "" : " tenant " + request.tenant_id);
    tell(plan_.watched, std::string(to_string(request.kind)) + " of " + scope + " carried out");
  }
  if (request.kind == RequestKind::resume) {
    std::erase_if(gone_, [&](const auto& heard) { return heard.first.second == request.destination; });
  }
  if (request.kind == RequestKind::replay) {
    std::erase_if(not_before_, [&](const auto& asked_for) {
      const auto& [owner, destination, event_id] = asked_for.first;
      return destination == request.destination && event_id == event_of(request.sequence);
    });
    checker_.replayed(request.destination, event_of(request.sequence));
    // What led nowhere goes by the routes of now.
    if (request.destination == unrouted) {
      for (const Place& place : places_) checker_.history_replayed(place.name, request.sequence, request.sequence);
    }
    tell(request.sequence, "replayed at " + request.destination + " as an operator asked");
  }
}

}  // namespace makegood::sim
