// What must hold, whoever ran it: the simulator, a crash test or a soak. It hears what producers committed and what
// destinations received, and knows nothing of how the one became the other.
//
//   P1  every committed message reaches each of its destinations, or is dead there and says so
//   P2  nothing arrives that was rolled back
//   P4  per key and destination, first arrivals keep log order, except for what was dead in between
//   P5  every arrival of a message carries the same bytes
//   P12 no owner sends again what it was told had arrived
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "makegood/message.hpp"

namespace makegood::sim {

class Checker {
 public:
  struct Committed {
    Sequence sequence = 0;
    std::string key;  ///< Tenant and dispatch key in one; empty without a key.
    std::string content;
    std::vector<std::string> destinations;
  };

  void committed(const std::string& event_id, Committed message);
  void rolled_back(const std::string& event_id);
  /// A send began. `owner` is whoever holds the lane.
  void sent(const std::string& owner, const std::string& destination, const std::string& event_id);
  /// It took effect at the destination.
  void arrived(const std::string& destination, const std::string& event_id, const std::string& content);
  /// The owner was told so.
  void acknowledged(const std::string& owner, const std::string& destination, const std::string& event_id);
  /// Order is no longer promised for this delivery: it was dead, was replayed, or its destination lets others pass.
  void excuse(const std::string& destination, const std::string& event_id);
  void replayed(const std::string& destination, const std::string& event_id);

  /// When everything has come to rest. `dead` has destination and event id of each dead letter.
  void at_rest(const std::set<std::pair<std::string, std::string>>& dead);

  const std::vector<std::string>& violations() const { return violations_; }
  std::size_t committed_count() const { return committed_.size(); }
  std::size_t arrival_count() const { return arrival_count_; }
  std::size_t duplicate_count() const { return duplicate_count_; }

 private:
  using Place = std::pair<std::string, std::string>;  ///< Destination, and event id or key.
  void violated(std::string sentence);
  void check_order(const std::string& destination, const std::string& event_id, const Committed& message);

  std::map<std::string, Committed> committed_;
  std::set<std::string> rolled_back_;
  std::map<Place, std::size_t> arrivals_;
  std::map<Place, Sequence> last_of_key_;
  std::set<Place> excused_;
  std::set<std::pair<std::string, Place>> acknowledged_;
  std::vector<std::string> violations_;
  std::size_t arrival_count_ = 0;
  std::size_t duplicate_count_ = 0;
};

}  // namespace makegood::sim
