// A store with sagas, the API on it, and an owner whose turns are written by hand.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/saga/record.hpp"
#include "makegood/spi/saga_store.hpp"
#include "tests/unit/api/place.hpp"

namespace makegood::api {

/// createOrder, then payment and reserveStock side by side, then confirm, which is the pivot.
SagaDefinition an_order_process();

class SagaPlace : public Place {
 public:
  SagaPlace();

  Sequence begin(const std::string& id, const std::string& tenant_id = "default");
  /// One turn, which appends these records.
  void decide(Sequence execution, const std::vector<core::SagaRecord>& records);
  void end(Sequence execution, const std::string& id, SagaState state, const std::vector<core::SagaRecord>& records);
  void park(Sequence execution, const std::string& id, SagaState state, const std::string& waits_for,
            const std::vector<core::SagaRecord>& records);
  Answer show(const std::string& id);
  SagaView& view() { return *view_; }
  /// The row of the log with this number, whatever it asks for.
  MessagePtr row(Sequence number);

 private:
  SagaTurn next_turn(Sequence execution, const std::vector<core::SagaRecord>& records);
  void commit(const SagaTurn& turn);

  std::unique_ptr<SagaStore> sagas_;
  std::unique_ptr<SagaView> view_;
  TurnNumber turn_ = 0;
  std::map<Sequence, std::int64_t> revisions_;
};

// Records of a moment that is so many milliseconds after the beginning.
core::SagaRecord begun();
core::SagaRecord started(const std::string& step, int at_ms, core::Direction direction = core::Direction::action,
                         std::uint32_t attempt = 1);
core::SagaRecord answered(const std::string& step, int at_ms, SagaOutcome outcome, const std::string& text = {},
                          core::Direction direction = core::Direction::action, std::uint32_t attempt = 1);
core::SagaRecord about(core::RecordKind kind, int at_ms, const std::string& step = {});

}  // namespace makegood::api
