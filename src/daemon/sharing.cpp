#include "daemon/sharing.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "makegood/id.hpp"
#include "makegood/spi/registry.hpp"

namespace makegood::daemon {
namespace {

constexpr Duration beat_interval = std::chrono::seconds(2);
/// What is under way longer than this is sent again by the next owner: the outbox stands still meanwhile.
constexpr Duration hand_over_grace = std::chrono::seconds(5);
/// How often a lane that another node owns is asked for: four times as often as by nodes that own more, so that what
/// becomes free rather goes to those that own less.
constexpr Duration patience_time = std::chrono::milliseconds(250);
constexpr Duration long_patience_time = std::chrono::seconds(1);
/// So long a lane that was handed over is left to the others.
constexpr Duration rest_time = std::chrono::seconds(3);

/// For people, and unlike any other: several processes may be on one machine, and several machines have one name.
std::string new_node_name() {
  std::array<char, 65> host{};
  ::gethostname(host.data(), host.size() - 1);
  return std::string(host.data()) + "/" + new_ulid();
}

/// The same for all nodes, in whatever order they are told their outboxes.
std::string first_by_name(const std::vector<std::string>& outboxes) {
  return outboxes.empty() ? std::string() : std::ranges::min(outboxes);
}

}  // namespace

Sharing::Sharing(const config::Config& config, Parts parts)
    : url_(config.store.url),
      outbox_(first_by_name(config.store.outboxes)),
      node_(new_node_name()),
      grace_(std::min(hand_over_grace, config.server.shutdown_grace)),
      parts_(parts),
      share_(node_) {}

void Sharing::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Sharing::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const LaneNames owned = parts_.owned.names();
    // Not before its tables can be expected to be there.
    if (!nodes_ && parts_.relays.is_open(outbox_) && !open_nodes()) return;
    if (nodes_) beat(owned);
    parts_.owned.await_change(owned, until_next(), stop);
    reopen_rested();
  }
}

/// False: on this store there is nothing to share.
bool Sharing::open_nodes() {
  auto opened = makegood::open_nodes(url_, outbox_);
  if (!opened) {
    tell(opened.error());
    return true;
  }
  nodes_ = *std::move(opened);
  return nodes_ != nullptr;
}

void Sharing::beat(const LaneNames& owned) {
  const auto alive = nodes_->beat(node_, owned.size());
  parts_.relays.set_patience(alive && lets_others_first(node_, *alive) ? long_patience_time : patience_time);
  if (!alive) return tell(alive.error());
  if (!std::exchange(told_, {}).empty()) parts_.log.write(LogLevel::info, "outboxes are shared again");
  if (const auto lane = share_.lane_to_give(*alive, owned, system_clock().monotonic())) hand_over(*lane, *alive);
}

void Sharing::hand_over(const std::string& outbox, const std::vector<NodeLoad>& alive) {
  const NodeLoad& least = std::ranges::min(alive, {}, &NodeLoad::lanes);
  parts_.log.write(LogLevel::info, "lane handed over, so that all nodes own about as many",
                   {{"table", outbox},
                    {"node", node_},
                    {"owned", std::ranges::find(alive, node_, &NodeLoad::node)->lanes},
                    {"least", least.node},
                    {"owned_by_least", least.lanes}});
  parts_.relays.close(outbox, grace_);
  resting_[outbox] = system_clock().monotonic() + rest_time;
}

void Sharing::reopen_rested() {
  const MonotonicTime now = system_clock().monotonic();
  std::erase_if(resting_, [&](const auto& each) { return each.second <= now && parts_.relays.reopen(each.first); });
}

Duration Sharing::until_next() const {
  const MonotonicTime now = system_clock().monotonic();
  Duration time = beat_interval;
  for (const auto& [outbox, until] : resting_) {
    if (until > now) time = std::min<Duration>(time, until - now);  // What is overdue is tried at each beat.
  }
  return time;
}

/// Once per change.
void Sharing::tell(const Error& error) {
  if (std::exchange(told_, error.message) == error.message) return;
  parts_.log.write(
      LogLevel::warning, "outboxes are not shared evenly now",
      {{"node", node_}, {"code", to_string(error.code)}, {"error", error.message}, {"diagnostics", error.diagnostics}});
}

void Sharing::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  if (nodes_) (void)nodes_->leave(node_);  // Else it is forgotten a little later.
  nodes_.reset();
}

}  // namespace makegood::daemon
