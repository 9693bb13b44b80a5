// The deliveries that a lane has in hand: read, and not yet ended or parked. The window is what bounds its memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "makegood/delivery.hpp"
#include "makegood/spi/position.hpp"
#include "makegood/spi/store.hpp"

namespace makegood::core {

struct Key;
struct Side;

using CarriedIndex = std::uint32_t;
using DestinationIndex = std::uint32_t;

/// A delivery in hand. One that was read from the log is a hole in the position; one that was parked has its own row,
/// which says that an attempt is under way.
struct Carried {
  MessagePtr message;
  DestinationIndex destination = 0;
  Side* side = nullptr;        ///< The side lane that carries it; null: the main lane, or parked and nobody's.
  Key* key = nullptr;          ///< Null when no order is promised.
  std::uint32_t attempts = 1;  ///< With the one to come, which is counted before it is sent.
  std::uint32_t answered = 0;  ///< Without the one to come.
  unsigned deaths = 0;         ///< How many owners died while it was under way.
  bool is_parked = false;
  bool is_in_flight = false;
  bool is_probe = false;
  std::int64_t replay = 0;    ///< The request that has it delivered once more; 0: none has.
  bool is_first = false;      ///< Certainly nobody has sent it before.
  TurnNumber covered_by = 0;  ///< It may be sent when this turn is committed.
  std::optional<MonotonicTime> sent_at = {};
  std::optional<MonotonicTime> tried_at = {};  ///< When its last attempt had failed, or a little later.
};

class Window {
 public:
  CarriedIndex add(Carried carried);
  void remove(CarriedIndex index);
  /// Drops everything; no ticket given out before is known any more.
  void clear();

  Carried& at(CarriedIndex index) { return slots_[index].carried; }
  const Carried& at(CarriedIndex index) const { return slots_[index].carried; }
  Ticket ticket_of(CarriedIndex index) const;
  /// Nothing for a ticket of a former owner, or one that has been answered.
  Carried* find(Ticket ticket);
  static CarriedIndex index_of(Ticket ticket) { return static_cast<CarriedIndex>(ticket); }

  std::size_t count() const { return slots_.size() - free_.size(); }
  std::size_t bytes() const { return bytes_; }

  /// Everything in hand that was read from the log, ascending by number.
  template <class Visit>
  void each_hole(Visit visit) {
    std::erase_if(log_order_, [this](const Read& read) { return !is_carried(read); });
    for (const Read& read : log_order_) visit(read.sequence, slots_[read.index].carried);
  }
  /// Whether this delivery is in hand, read from the log.
  bool has(Sequence sequence, DestinationIndex destination) const;
  /// Everything in hand; the visitor may not add or remove.
  template <class Visit>
  void each(Visit visit) {
    for (CarriedIndex index = 0; index < slots_.size(); ++index) {
      if (slots_[index].carried.message != nullptr) visit(index, slots_[index].carried);
    }
  }

 private:
  struct Slot {
    Carried carried;
    std::uint32_t generation = 1;
  };
  struct Read {
    Sequence sequence;
    CarriedIndex index;
    std::uint32_t generation;
  };
  bool is_carried(const Read& read) const { return slots_[read.index].generation == read.generation; }

  std::vector<Slot> slots_;
  std::vector<CarriedIndex> free_;
  std::vector<Read> log_order_;  ///< Ascending. Ended ones stay until the next call of each_hole().
  std::size_t bytes_ = 0;
};

}  // namespace makegood::core
