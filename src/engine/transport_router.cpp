#include "engine/transport_router.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/transports.hpp"
#include "makegood/result.hpp"

namespace makegood::engine {
namespace {

std::string_view scheme_of(const Destination& destination) { return carrier_of(destination.name); }

}  // namespace

void TransportRouter::send(std::vector<Delivery> deliveries, Completions& done) const {
  while (!deliveries.empty()) {
    Transport* transport = transport_for(*deliveries.front().destination);
    // They come destination by destination, so most have the transport of the one before.
    const Destination* last = deliveries.front().destination.get();
    bool is_last_mine = true;
    const auto rest = std::ranges::stable_partition(deliveries, [&](const Delivery& delivery) {
      if (delivery.destination.get() == last) return is_last_mine;
      last = delivery.destination.get();
      return is_last_mine = transport_for(*last) == transport;
    });
    std::vector<Delivery> others(std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
    deliveries.erase(rest.begin(), rest.end());
    std::vector<Delivery> mine = std::exchange(deliveries, std::move(others));
    if (transport == nullptr) {
      answer_unsendable(mine, done);
    } else {
      transport->send(std::move(mine), done);
    }
  }
}

void TransportRouter::drain(Completions& done, Duration grace, const Clock& clock) const {
  const MonotonicTime until = clock.monotonic() + grace;
  for (Transport* transport : transports_) {
    transport->drain(done, std::max<Duration>(until - clock.monotonic(), {}));
  }
}

std::vector<std::string> TransportRouter::schemes_running_ahead() const {
  std::vector<std::string> schemes;
  for (const Transport* transport : transports_) {
    const TransportFeatures features = transport->features();
    if (features.keeps_in_flight_max) schemes.emplace_back(features.scheme);
  }
  return schemes;
}

/// Null when there is none: a destination in the store may have been meant for another program, or be misspelt.
Transport* TransportRouter::transport_for(const Destination& destination) const {
  const auto found = std::ranges::find(transports_, scheme_of(destination),
                                       [](const Transport* transport) { return transport->features().scheme; });
  return found != transports_.end() ? *found : nullptr;
}

/// As a transport would, when nobody is there: its circuit opens, and nothing is lost until an operator has mended it.
void TransportRouter::answer_unsendable(const std::vector<Delivery>& deliveries, Completions& done) const {
  std::string known;
  for (const Transport* transport : transports_) {
    known.append(known.empty() ? "" : ", ").append(transport->features().scheme);
  }
  std::vector<Report> reports;
  reports.reserve(deliveries.size());
  for (const Delivery& delivery : deliveries) {
    std::string why = "No transport here is called '";
    why.append(scheme_of(*delivery.destination)).append("'; those that are: ").append(known).append(".");
    const Errc code = delivery.call != nullptr ? Errc::no_route : Errc::unavailable;
    reports.push_back({delivery.ticket, Reply::unreachable(std::string(to_string(code)), std::move(why))});
  }
  done.post(std::move(reports));
}

}  // namespace makegood::engine
