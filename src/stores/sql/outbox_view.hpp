// What operators read of an outbox and ask of its lane, the same on every relational database. Each larger question has
// a file of its own.
#pragma once

#include "base/standing.hpp"
#include "stores/sql/database.hpp"

namespace makegood::relational {

class View final : public OutboxView {
 public:
  /// `instead`: in the place of the database's clock; null: that one.
  View(std::unique_ptr<Database> connection, const Clock* instead)
      : connection_(std::move(connection)), database_(*connection_), instead_(instead) {}

  Result<MessagePage> list(const MessageFilter& filter, std::optional<Sequence> before, std::size_t rows_max) override;
  Result<MessageView> story(Sequence sequence) override;
  Result<Sequence> find_event(std::string_view tenant_id, std::string_view event_id) override;
  Result<Backlog> backlog() override;
  Result<LaneView> lane() override;
  Result<std::vector<DeadLetter>> list_dead(const DeadFilter& filter, const DeadCursor& after,
                                            std::size_t rows_max) override;
  Result<std::size_t> count_dead(const DeadFilter& filter) override;
  Result<std::vector<DeadGroup>> group_dead(const DeadFilter& filter, std::size_t rows_max) override;
  Result<DeadLetter> inspect(std::string_view tenant_id, Sequence sequence, std::string_view destination) override;
  Result<std::vector<BlockedKey>> blocked_keys(std::size_t rows_max) override;
  Result<RewindView> count_rewind(Sequence first) override;
  Result<std::int64_t> request(const NewRequest& request) override;
  Result<std::optional<std::string>> answer_to(std::int64_t request_id) override;
  Result<std::vector<RequestView>> list_requests(std::optional<std::int64_t> before, std::size_t rows_max) override;

 private:
  const Statements& sql() const { return database_.statements(); }

  const std::unique_ptr<Database> connection_;
  Database& database_;
  const Clock* instead_;
};

/// By version: those that lanes go by, or also those that are kept for what was delivered long ago.
enum class RoutingsOf { lanes, history };
Result<std::vector<Routing>> routings_in(Rows& rows);
Result<std::vector<Routing>> read_routings(Database& database, RoutingsOf which);

/// As the last turn tells it; the routes are read only where they can matter.
Result<Standing> read_standing(Database& database, bool with_routes);

/// The numbers of an event, in the log or kept; of every tenant when none is named.
struct EventNumber {
  Sequence sequence = 0;
  std::string tenant_id;
};
Result<std::vector<EventNumber>> read_event_numbers(Database& database, std::string_view tenant_id,
                                                    std::string_view event_id);

}  // namespace makegood::relational
