// What operators read of an outbox, in transactions that cannot write. Each larger question has a file of its own.
#pragma once

#include "base/standing.hpp"
#include "stores/postgres/connection.hpp"
#include "stores/postgres/transaction.hpp"

namespace makegood::postgres {

class View final : public OutboxView {
 public:
  explicit View(Connection connection) : connection_(std::move(connection)) {}

  Result<MessagePage> list(const MessageFilter& filter, std::optional<Sequence> before, std::size_t rows_max) override;
  Result<MessageView> story(Sequence sequence) override;
  Result<Sequence> find_event(std::string_view tenant_id, std::string_view event_id) override;
  Result<Backlog> backlog() override;
  Result<std::vector<DeadLetter>> list_dead(const DeadFilter& filter, const DeadCursor& after,
                                            std::size_t rows_max) override;
  Result<std::size_t> count_dead(const DeadFilter& filter) override;
  Result<std::vector<DeadGroup>> group_dead(const DeadFilter& filter, std::size_t rows_max) override;
  Result<std::vector<RequestView>> list_requests(std::optional<std::int64_t> before, std::size_t rows_max) override;

 private:
  Connection connection_;
};

/// One snapshot, in which each statement is planned for the values that it is run with.
Result<Transaction> begin_view(Connection& connection);

/// As the last turn tells it; the routes are read only where they can matter.
Result<Standing> read_standing(Connection& connection, bool with_routes);

/// The numbers of an event, in the log or kept; of every tenant when none is named.
struct EventNumber {
  Sequence sequence = 0;
  std::string tenant_id;
};
Result<std::vector<EventNumber>> read_event_numbers(Connection& connection, std::string_view tenant_id,
                                                    std::string_view event_id);

}  // namespace makegood::postgres
