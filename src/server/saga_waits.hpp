// Who waits for the outcome of which execution, and when it is worth a look. No I/O and no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "makegood/spi/saga_store.hpp"
#include "server/reply.hpp"

namespace makegood::server {

using SagaId = std::pair<std::string, std::string>;  ///< Tenant and id of an execution.

class SagaWaits {
 public:
  struct Wait {
    SagaId id;
    Sequence execution = 0;
    MonotonicTime until = {};
    MonotonicTime look_at = {};  ///< And again after a while, which doubles.
    std::shared_ptr<Caller> caller;
  };
  void add(Wait wait);
  bool empty() const { return by_number_.empty(); }
  /// When the next look is due, or somebody's patience ends.
  MonotonicTime next() const;
  /// Those of which somebody has told, and those that are due; they are looked at again later.
  std::vector<Sequence> worth_a_look(std::span<const SagaId> told, MonotonicTime now);
  /// Who waits for this execution; they wait no more.
  std::vector<Wait> take(Sequence execution);
  std::vector<Wait> take(const SagaId& id);
  /// Whose patience has ended.
  std::vector<Wait> take_expired(MonotonicTime now);

 private:
  struct Waiting {
    Wait wait;
    Duration patience;
  };
  using Number = std::uint64_t;
  Wait remove(Number number);
  MonotonicTime due(const Waiting& waiting) const;

  Number last_ = 0;
  std::map<Number, Waiting> by_number_;
  std::multimap<SagaId, Number> by_id_;
  std::multimap<Sequence, Number> by_execution_;
  std::set<std::pair<MonotonicTime, Number>> by_time_;
};

}  // namespace makegood::server
