// The store over one connection; each call has a file of its own.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "base/turn_row.hpp"
#include "makegood/clock.hpp"
#include "makegood/spi/store.hpp"
#include "stores/sqlite/change_watch.hpp"
#include "stores/sqlite/checkpointer.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/lane_lock.hpp"
#include "stores/sqlite/message_writer.hpp"

namespace makegood::sqlite {

class Store final : public OutboxStore {
 public:
  Store(Connection connection, const Clock& clock, Ids& ids, std::string environment);

  StoreFeatures features() const override;
  Result<> migrate() override;
  Result<std::vector<Enqueued>> enqueue(std::span<const NewMessage> messages) override;
  Result<std::optional<Taken>> take(const Owner& owner, Duration lease, const Owner& former) override;
  Result<Found> look(const LookFor& wanted) override;
  Result<Committed> commit(const Turn& turn) override { return commit(turn, {}); }
  /// What else is written in the transaction of a turn, when that has been appended at `at`.
  using Also = std::function<Result<>(TimePoint at, Committed& committed)>;
  Result<Committed> commit(const Turn& turn, const Also& also);
  bool has_changed() override;
  int change_descriptor() const override { return watch_.descriptor(); }

  Connection& connection() { return connection_; }
  /// As enqueue, of what a log of sagas takes.
  Result<std::vector<Enqueued>> append_requests(std::span<const NewMessage> requests);

 private:
  struct LastTurn;
  struct Taker;

  Result<MessageWriter*> writer();

  // take.cpp
  Result<LastTurn> read_last_turn();
  bool is_takeable(const LastTurn& last, const Taker& taker) const;
  Result<std::optional<Taken>> take_if_free(const Taker& taker);
  Result<Taken> append_taking_turn(const TurnRow& last, const Claimant& claimant);

  // look.cpp
  struct Heads;
  Result<Heads> read_heads(const LookFor& wanted, Found& found);
  Result<> read_rows(const LookFor& wanted, Sequence highest, Found& found);
  Result<> read_side(const LookFor::Side& wanted, const NumberSet& open, Found& found);
  Result<Rows> waiting(const LookFor::Due& wanted, const Owner& owner);
  Result<> read_due(const LookFor::Due& wanted, const Owner& owner, Found& found);
  Result<MessagePtr> read_one(const Parked& parked);
  Result<> read_requests(Found& found);
  Result<> read_all_about(Request& request);
  Result<> read_put_away(Request& request);

  // commit.cpp
  Result<AppendedTurn> append(const NewTurn& turn);
  Result<Sequence> append_one(const NewMessage& message);
  Result<> keep(const Routing& routing, const Owner& owner, std::int64_t at);
  Result<> park(const Turn::Change& change, const Owner& owner, std::int64_t at);
  Result<> clean(const Turn& turn, TimePoint at, Committed& committed);

  static constexpr LaneId lane_ = main_lane;
  const Clock& clock_;
  Ids& ids_;
  const std::string environment_;
  Connection connection_;
  Checkpointer checkpointer_{connection_.handle()};
  LaneLock lock_;
  ChangeWatch watch_;
  std::optional<MessageWriter> writer_;       ///< Opened when first needed; finalized before the connection is closed.
  TurnNumber long_turn_ = 0;                  ///< The last one, if its position is long.
  TurnNumber turns_from_ = 0;                 ///< Those before have been cleaned.
  std::optional<std::int64_t> seen_version_;  ///< Of the data, at the last look.
};

}  // namespace makegood::sqlite
