// The store over one connection; each call has a file of its own.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>

#include "base/turn_row.hpp"
#include "makegood/clock.hpp"
#include "makegood/spi/store.hpp"
#include "stores/postgres/connection.hpp"
#include "stores/postgres/incarnation.hpp"
#include "stores/postgres/late_rows.hpp"
#include "stores/postgres/log_reader.hpp"
#include "stores/postgres/message_writer.hpp"
#include "stores/postgres/open_numbers.hpp"
#include "stores/postgres/postgres.hpp"
#include "stores/postgres/read_ahead.hpp"
#include "stores/postgres/wake_up.hpp"

namespace makegood::postgres {

struct RangeArrays;

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
  int change_descriptor() const override;

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
  bool ask_for_news();
  bool ask_for_changes(const RangeArrays& awake);
  void add_settings(Pipeline& pipeline) const;

  // take.cpp
  Result<std::optional<Taken>> take_if_free(const Claimant& claimant);
  Result<std::optional<Taken>> take_or_ask(const Claimant& claimant);
  Result<LastTurn> read_last_turn();
  Result<std::optional<Taken>> append_taking_turn(const Claimant& claimant);
  Error name_who_is_waited_for(Error error);

  // look.cpp
  struct Heads;
  class Answers;
  Result<> check_session();
  Result<Found> try_look(const LookFor& wanted);
  Result<Found> read(const LookFor& wanted, std::vector<LogReader>& readers, Answers answers, bool has_requests);
  Result<Heads> read_heads(const LookFor& wanted, Rows rows);
  Result<Found> stopped(const LookFor& wanted, Sequence highest, Found found);
  Result<> read_requests(Rows rows, Found& found);
  Result<> read_all_about(Request& request, Contents& contents);
  Result<> read_put_away(Request& request);
  Result<> read_due(const LookFor::Due& wanted, Rows rows, Contents& contents, Found& found);
  Result<MessagePtr> read_one(const Parked& parked, Contents& contents);
  void finish_main(const LookFor& wanted, LogReader& main, Sequence highest, Found& found);
  void find_open(const LookFor& wanted, const LogReader& main, Found& found);
  std::vector<LogReader> readers_of(const LookFor& wanted);
  NumberSet awake_of(const NumberSet& open) const;
  NumberSet unknown_to(const LookFor& wanted, const LogReader& main, const std::set<std::int64_t>& ended);
  Result<> examine_late(const NumberSet& numbers);
  void forget_open();
  void adapt_scan(std::span<const LogReader> readers);
  void end_exchange();

  // commit.cpp
  Result<> check_exchange() const;
  Result<Committed> try_commit(const Turn& turn, std::span<const Step> also, const Then& then);
  std::vector<Step> next_look(const Turn& turn) const;
  void add_changes(const Turn& turn, Pipeline& pipeline) const;
  Result<> clean(const Turn& turn, TimePoint at, Committed& committed);
  Result<> reset();
  void remember_answers(std::span<const RequestAnswer> answers);

  static constexpr LaneId lane_ = main_lane;
  static constexpr std::size_t scan_rows_min = 1000;

  const StoreWorld world_;
  IncarnationCheck incarnation_;
  Connection connection_;
  std::uint64_t known_session_;            ///< On which the last taking or failed look was.
  std::optional<TimePoint> server_start_;  ///< Of the server that was seen last.
  bool is_locked_out_ = false;             ///< A taking waited too long for somebody else's turn.
  std::string idle_timeout_;               ///< In milliseconds, below one lease.
  std::uint64_t settled_session_ = 0;      ///< Which has the settings of an exchange for good.
  ReadAhead read_ahead_;
  OpenNumbers open_numbers_;
  LateRows late_rows_;
  std::size_t scan_rows_;  ///< How many rows a filtered look goes over; adapts to how many are wanted.

  // What the last look saw, to tell whether anything is new.
  std::optional<Sequence> seen_to_;  ///< Every visible row up to here. Nothing: it has to look again.
  NumberSet seen_open_;
  std::vector<std::int64_t> seen_requests_;
  bool has_just_no_request_ = false;  ///< Said the server when asked for news, a moment before the next look.
  MonotonicTime asked_at_ = {};       ///< When the server was asked whether anything has changed.

  WakeUp wake_up_;
  bool is_just_taken_ = false;  ///< Nobody has asked for changes since.

  TurnNumber turns_from_ = 0;  ///< Those before have been cleaned: what is dead there need not be passed again.
};

}  // namespace makegood::postgres
