// What must hold, whoever ran it: the simulator, a crash test or a soak. It hears what producers committed and what
// destinations received, and knows nothing of how the one became the other.
//
//   P1  every committed message reaches each of its destinations, or is dead there and says so; and no other
//   destination P2  nothing arrives that was rolled back P4  per key and destination, first arrivals keep log order,
//   except for what was dead in between P5  every arrival of a message carries the same bytes P12 no owner sends again
//   what it was told had arrived; nobody sends again what a turn has recorded as delivered
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
  /// The database has forgotten its commit: it may have arrived, and need not.
  void lost(const std::string& event_id);
  /// Where it has to go, when that is known only later.
  void routed(const std::string& event_id, std::vector<std::string> destinations);
  /// The database has forgotten what became of it: which routes counted, and who was let pass. It is delivered anew.
  void forgotten(const std::string& event_id) { forgotten_.insert(event_id); }
  /// A send began. A zombie is no longer the lane's owner: it may send what it had committed, and knows no better.
  void sent(const std::string& owner, const std::string& destination, const std::string& event_id,
            bool is_zombie = false);
  /// It took effect at the destination.
  void arrived(const std::string& destination, const std::string& event_id, const std::string& content);
  /// The owner was told so.
  void acknowledged(const std::string& owner, const std::string& destination, const std::string& event_id);
  /// A committed turn says so.
  void recorded(const std::string& destination, const std::string& event_id, std::int64_t turn);
  /// The lane was rewound: all that is in the log is sent, whoever has got it before.
  void rewound();
  bool is_sent_again(const std::string& event_id) const { return sent_again_.contains(event_id); }
  /// The database has forgotten all turns above this one.
  void forget_turns_above(std::int64_t turn);
  /// Order is no longer promised for this delivery: it was dead, was replayed, or its destination lets others pass.
  void excuse(const std::string& destination, const std::string& event_id);
  void replayed(const std::string& destination, const std::string& event_id);
  /// These numbers are delivered to this destination once more.
  void history_replayed(const std::string& destination, Sequence from, Sequence until);
  bool is_history(const std::string& destination, Sequence sequence) const;

  /// When everything has come to rest. `dead` has destination and event id of each dead letter.
  void at_rest(const std::set<std::pair<std::string, std::string>>& dead);

  /// Something else that must not be, found by whoever runs it. `event_id`: whose story tells it, if any.
  void violated(std::string sentence, const std::string& event_id = {});
  const std::vector<std::string>& violations() const { return violations_; }
  /// The message that the first violation speaks of.
  const std::string& culprit() const { return culprit_; }
  std::size_t committed_count() const { return committed_.size(); }
  std::size_t arrival_count() const { return arrival_count_; }
  std::size_t duplicate_count() const { return duplicate_count_; }

 private:
  using Place = std::pair<std::string, std::string>;  ///< Destination, and event id or key.
  void check_order(const std::string& destination, const std::string& event_id, const Committed& message);
  void check_routes();

  std::map<std::string, Committed> committed_;
  std::set<std::string> rolled_back_;
  std::set<std::string> lost_;
  std::set<std::string> forgotten_;
  std::map<Place, std::size_t> arrivals_;
  std::map<Place, Sequence> last_of_key_;
  std::set<Place> excused_;
  std::set<std::pair<std::string, Place>> acknowledged_;
  std::set<std::string> sent_again_;        ///< There when the lane was rewound.
  std::map<Place, std::int64_t> recorded_;  ///< And with which turn.
  std::map<std::string, std::vector<std::pair<Sequence, Sequence>>> histories_;
  std::vector<std::string> violations_;
  std::string culprit_;
  std::size_t arrival_count_ = 0;
  std::size_t duplicate_count_ = 0;
};

}  // namespace makegood::sim
