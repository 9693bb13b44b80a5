// Outboxes are spread evenly over the processes that serve them: each says how many it owns, and the one with the most
// hands one over.
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "daemon/node_share.hpp"
#include "daemon/owned_lanes.hpp"
#include "daemon/relays.hpp"
#include "makegood/spi/nodes.hpp"
#include "observe/log.hpp"

namespace makegood::daemon {

/// Speed only: without it, or while the store is away, every lane still has one owner.
class Sharing {
 public:
  struct Parts {
    Relays& relays;
    OwnedLanes& owned;
    observe::Log& log;
  };
  /// The parts must outlive it.
  Sharing(const config::Config& config, Parts parts);

  void start();
  /// Hands nothing over any more; what is being handed over may end. This node counts no more.
  void stop();

 private:
  void run(const std::stop_token& stop);
  bool open_nodes();
  void beat(const LaneNames& owned);
  void hand_over(const std::string& outbox, const std::vector<NodeLoad>& alive);
  void reopen_rested();
  Duration until_next() const;
  void tell(const Error& error);

  // Constant after construction.
  const std::string url_;
  const std::string outbox_;  ///< Whose schema has the list of nodes.
  const std::string node_;
  const Duration grace_;
  const Parts parts_;

  // Used by the thread only.
  NodeShare share_;
  std::unique_ptr<Nodes> nodes_;                               ///< Null until the store was there.
  std::map<std::string, MonotonicTime, std::less<>> resting_;  ///< Handed over; opened again then.
  std::string told_;                                           ///< The error that was logged last.

  std::jthread thread_;  // Last: it uses all of the above.
};

}  // namespace makegood::daemon
