// The store over one connection; each call has a file of its own.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "base/turn_row.hpp"
#include "makegood/clock.hpp"
#include "makegood/spi/store.hpp"
#include "stores/postgres/connection.hpp"
#include "stores/postgres/exchange.hpp"
#include "stores/postgres/incarnation.hpp"
#include "stores/postgres/log_reader.hpp"
#include "stores/postgres/message_writer.hpp"
#include "stores/postgres/news.hpp"
#include "stores/postgres/open_rows.hpp"
#include "stores/postgres/postgres.hpp"
#include "stores/postgres/read_ahead.hpp"

namespace makegood::postgres {

class Store final : public OutboxStore {
 public:
  Store(Connection connection, const StoreWorld& world);

  StoreFeatures features() const override;
  Result<> migrate() override;
  Result<std::vector<Enqueued>> enqueue(std::span<const NewMessage> messages) override;
  Result<std::optional<Taken>> take(const Owner& owner, Duration lease, const Owner& former) override;
  Result<Found> look(const LookFor& wanted) override;
  Result<Committed> commit(const Turn& turn) override { return commit(turn, {}); }
  /// What follows when all that is written, at this time; null: nothing.
  using Then = std::function<Result<>(TimePoint at, Committed& committed)>;
  /// `also`: what else is written, in the round trip of the turn and right behind it.
  Result<Committed> commit(const Turn& turn, std::span<const Step> also, const Then& then = {});
  bool has_changed() override;
  int change_descriptor() const override { return news_.descriptor(); }

  Connection& connection() { return connection_; }
  /// Nothing, for the server's own clock.
  std::optional<TimePoint> clock_now() const;
  /// As enqueue, of what a log of sagas takes.
  Result<std::vector<Enqueued>> append_requests(std::span<const NewMessage> requests);

 private:
  struct LastTurn;

  MessageWriter writer(bool may_tell = false);
  MessageWriter::Options writer_options(bool may_tell) const;
  Result<Rows> run_committed(std::string_view sql, const Parameters& values);
  void end_exchange();

  // take.cpp
  Result<std::optional<Taken>> take_if_free(const Claimant& claimant);
  Result<std::optional<Taken>> take_or_ask(const Claimant& claimant);
  Result<LastTurn> read_last_turn();
  Result<std::optional<Taken>> append_taking_turn(const Claimant& claimant);

  // look.cpp
  struct Heads;
  class Answers;
  Result<Found> try_look(const LookFor& wanted);
  Result<Found> read(const LookFor& wanted, std::vector<LogReader>& readers, Answers answers, bool has_requests);
  Result<Heads> read_heads(const LookFor& wanted, Rows rows);
  Result<Found> stopped(const LookFor& wanted, Sequence highest, Found found);
  Result<> read_log(const LookFor& wanted, std::vector<LogReader>& readers, const Heads& heads, Contents& contents);
  void find_open(const LookFor& wanted, const LogReader& main, Found& found);
  void finish_main(const LookFor& wanted, LogReader& main, Sequence highest, Found& found);
  std::vector<LogReader> readers_of(const LookFor& wanted) const;
  void adapt_scan(std::span<const LogReader> readers);

  // commit.cpp
  Result<Committed> try_commit(const Turn& turn, std::span<const Step> also, const Then& then);
  std::vector<Step> next_look(const Turn& turn) const;
  Result<> clean(const Turn& turn, TimePoint at, Committed& committed);

  static constexpr LaneId lane_ = main_lane;
  static constexpr std::size_t scan_rows_min = 1000;

  const StoreWorld world_;
  IncarnationCheck incarnation_;
  Connection connection_;
  Exchange exchange_;
  OpenRows open_;
  News news_;
  ReadAhead read_ahead_;
  bool is_locked_out_ = false;             ///< A taking waited too long for somebody else's turn.
  std::size_t scan_rows_ = scan_rows_min;  ///< How many rows a filtered look goes over; adapts to how many are wanted.
  TurnNumber turns_from_ = 0;  ///< Those before have been cleaned: what is dead there need not be passed again.
};

}  // namespace makegood::postgres
