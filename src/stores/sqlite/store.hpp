// The store over one connection; each call has a file of its own.
#pragma once

#include <optional>
#include <span>

#include "makegood/clock.hpp"
#include "makegood/store.hpp"
#include "stores/sqlite/change_watch.hpp"
#include "stores/sqlite/checkpointer.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/lane_lock.hpp"
#include "stores/sqlite/message_writer.hpp"

namespace makegood::sqlite {

class Store final : public OutboxStore {
 public:
  Store(Connection connection, const Clock& clock, Ids& ids);

  StoreFeatures features() const override;
  Result<> migrate() override;
  Result<std::vector<Enqueued>> enqueue(std::span<const NewMessage> messages) override;
  Result<std::optional<Taken>> take(const Owner& owner, Duration lease, const Owner& former) override;
  Result<Found> look(const LookFor& wanted) override;
  Result<Committed> commit(const Turn& turn) override;
  bool has_changed() override;
  int change_descriptor() const override { return watch_.descriptor(); }

 private:
  struct LastTurn;
  struct Claim;

  /// The machine's clock, but never before the last turn, unless that was so far ahead that its clock must have been
  /// wrong.
  TimePoint store_time(std::optional<std::int64_t> last_turn_at) const;

  Result<MessageWriter*> writer();

  // take.cpp
  Result<std::optional<LastTurn>> read_last_turn();
  Result<bool> is_takeable(const Claim& claim);
  Result<std::optional<Taken>> take_if_free(const Claim& claim);
  Result<Taken> append_taking_turn(const Claim& claim);
  Result<std::vector<Parked>> read_blocking();
  Result<std::vector<NextDue>> read_next_due();
  Result<std::vector<ParkedCount>> read_parked_counts();

  // look.cpp
  Result<Sequence> read_heads(Found& found);
  Result<> read_rows(const LookFor& wanted, Sequence highest, Found& found);
  Result<> read_side(const LookFor::Side& wanted, const NumberSet& open, Found& found);
  Result<Rows> waiting(const LookFor::Due& wanted, const Owner& owner);
  Result<> read_due(const LookFor::Due& wanted, const Owner& owner, Found& found);
  Result<MessagePtr> read_one(Sequence sequence);
  Result<> read_requests(Found& found);

  // commit.cpp
  struct Written;
  Result<Written> append_turn(const Turn& turn);
  Result<> append(std::span<const NewMessage> messages);
  Result<> keep(const Routing& routing, const Owner& owner, std::int64_t at);
  Result<> park(const Turn::Change& change, const Owner& owner, std::int64_t at);

  // clean.cpp
  Result<std::size_t> clean(const Turn& turn, std::int64_t at);
  Result<std::size_t> clean_log(Sequence boundary, std::int64_t rows_max);
  Result<> clean_parked(std::string_view sql, std::int64_t before, std::int64_t rows_max);

  const Clock& clock_;
  Ids& ids_;
  Connection connection_;
  Checkpointer checkpointer_{connection_.handle()};
  LaneLock lock_;
  ChangeWatch watch_;
  std::optional<MessageWriter> writer_;       ///< Opened when first needed; finalized before the connection is closed.
  TurnNumber long_turn_ = 0;                  ///< The last one, if its position is long.
  std::optional<std::int64_t> seen_version_;  ///< Of the data, at the last look.
};

}  // namespace makegood::sqlite
