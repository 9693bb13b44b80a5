// Order per tenant, dispatch key and destination: one in flight, the others behind it, and parked deliveries that
// block.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/window.hpp"
#include "makegood/spi/store.hpp"

namespace makegood::core {

/// A parked delivery that later ones of its key wait for.
struct Blocker {
  ParkedState state = ParkedState::waiting;
  std::uint32_t attempts = 0;
  std::uint32_t answered = 0;
  std::string event_id = {};
  std::int64_t replay = 0;
};
Blocker blocker_of(const Parked& row);

struct Key {
  std::string tenant_id;
  std::string dispatch_key;
  DestinationIndex destination = 0;

  /// In hand and not let go yet, ascending by number.
  std::vector<CarriedIndex> queue = {};
  /// The one that is ready or in flight, or whose answer waits for its turn.
  std::optional<CarriedIndex> going = {};
  /// Parked, not in hand.
  std::map<Sequence, Blocker> blockers = {};

  bool is_idle() const { return queue.empty() && !going && blockers.empty(); }
  bool is_blocked_before(Sequence sequence) const { return !blockers.empty() && blockers.begin()->first < sequence; }
};

/// Only keys that something is known of; the others are idle.
class Keys {
 public:
  Key& at(std::string_view tenant_id, std::string_view dispatch_key, DestinationIndex destination);
  /// Null for an idle key.
  Key* find(std::string_view tenant_id, std::string_view dispatch_key, DestinationIndex destination) const;
  std::vector<Key*> of(DestinationIndex destination) const;
  void drop_if_idle(Key& key);
  void clear() { keys_.clear(); }

 private:
  struct Name {
    std::string_view tenant_id;
    std::string_view dispatch_key;
    DestinationIndex destination;
    bool operator==(const Name&) const = default;
  };
  struct HashName {
    std::size_t operator()(const Name& name) const;
  };
  // The names are views into the keys themselves, which is why those are held by pointer.
  std::unordered_map<Name, std::unique_ptr<Key>, HashName> keys_;
};

/// Puts a delivery in its place among those in hand.
void enter(Key& key, CarriedIndex index, Window& window);
/// Whether a delivery with this number would be the next of its key.
bool is_next(const Key& key, Sequence sequence, const Window& window);
/// Lets the next one in hand go, if its way is free.
std::optional<CarriedIndex> let_go(Key& key, const Window& window);
/// The parked delivery whose turn it is and that only waits to be told; nothing if there is none.
std::optional<Sequence> next_held(const Key& key, const Window& window);

}  // namespace makegood::core
