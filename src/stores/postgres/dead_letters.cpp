#include <limits>

#include "base/parked_row.hpp"
#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/connection.hpp"
#include "stores/postgres/dead_scan.hpp"
#include "stores/postgres/migrate.hpp"
#include "stores/postgres/postgres.hpp"
#include "stores/postgres/routing_row.hpp"
#include "stores/postgres/transaction.hpp"

namespace makegood::postgres {
namespace {

class DeadLetters final : public DeadLetterStore {
 public:
  DeadLetters(Connection connection, const Clock* instead) : instead_(instead), connection_(std::move(connection)) {}

  Result<std::vector<DeadLetter>> list(std::string_view tenant_id, Sequence after, std::size_t rows_max) override {
    if (rows_max == 0 || after == std::numeric_limits<Sequence>::max()) return std::vector<DeadLetter>();
    auto snapshot = MAKEGOOD_TRY(Transaction::begin_read(connection_));
    return read_dead_letters(MAKEGOOD_TRY(connection_.query(sql::list_dead_messages, tenant_id, after + 1, rows_max)));
  }

  Result<DeadLetter> inspect(std::string_view tenant_id, Sequence sequence, std::string_view destination) override {
    const Error not_there{Errc::not_found, "There is no such parked delivery."};
    if (destination.empty()) return not_there;
    auto snapshot = MAKEGOOD_TRY(Transaction::begin_read(connection_));
    Rows row = MAKEGOOD_TRY(connection_.query(sql::read_dead_letter, sequence, destination));
    if (!row.next()) return not_there;
    DeadLetter letter = MAKEGOOD_TRY(read_dead_letter(row));
    const bool is_theirs = tenant_id.empty() || tenant_id == letter.parked.tenant_id;
    if (!is_theirs) return not_there;
    return letter;
  }

  Result<std::vector<BlockedKey>> blocked_keys(std::size_t rows_max) override {
    std::vector<BlockedKey> keys;
    auto snapshot = MAKEGOOD_TRY(Transaction::begin_read(connection_));
    Rows rows = MAKEGOOD_TRY(connection_.query(sql::blocked_keys, rows_max));
    while (rows.next()) {
      Parked head = MAKEGOOD_TRY(read_parked(rows));
      keys.push_back(
          {.head = std::move(head), .waiting_count = static_cast<std::size_t>(rows.integer(parked_columns))});
    }
    return keys;
  }

  Result<LaneView> lane() override {
    LaneView view;
    auto snapshot = MAKEGOOD_TRY(Transaction::begin_read(connection_));
    MAKEGOOD_TRY(read_last_turn(view));
    view.routings = MAKEGOOD_TRY(read_routings(connection_, RoutingsOf::lanes));
    // Numbers are drawn outside of any snapshot: read after the turn, it is not below what the turn has seen.
    view.counter = MAKEGOOD_TRY(connection_.number(sql::read_counter));
    return view;
  }

  Result<std::int64_t> request(const NewRequest& request) override {
    auto transaction = MAKEGOOD_TRY(Transaction::begin_write(connection_));
    const auto now = instead_ != nullptr ? std::optional(instead_->now()) : std::nullopt;
    const std::int64_t id = MAKEGOOD_TRY(connection_.number(
        sql::append_request, to_string(request.kind), request.sequence, request.destination, request.operator_name,
        request.reason, request.tenant_id, request.until, request.document, now));
    MAKEGOOD_TRY(transaction.commit());
    return id;
  }

  Result<std::optional<std::string>> answer_to(std::int64_t request_id) override {
    MAKEGOOD_TRY(connection_.reconnect_if_lost());
    Rows rows = MAKEGOOD_TRY(connection_.query(sql::answer_to, request_id));
    if (!rows.next()) return Error{Errc::not_found, "There is no such request."};
    const bool is_open = rows.is_null(0);
    if (is_open) return std::optional<std::string>();
    return std::optional(std::string(rows.text(1)));
  }

 private:
  Result<> read_last_turn(LaneView& view) {
    Rows rows = MAKEGOOD_TRY(connection_.query(sql::newest_turn));
    if (!rows.next()) return {};
    view.turn = rows.integer(0);
    view.owner = Owner(rows.text(1));
    view.at = rows.time(2);
    view.lease_until = rows.time(3);
    view.position = MAKEGOOD_TRY(decode_position(rows.text(4)));
    return {};
  }

  const Clock* instead_;  ///< Of the database's clock; null but in tests.
  Connection connection_;
};

}  // namespace

Result<std::unique_ptr<DeadLetterStore>> open_dead_letters(std::string_view url, std::string_view outbox,
                                                           const Clock* instead) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  Connection connection = MAKEGOOD_TRY(Connection::open(std::string(url), identifier));
  MAKEGOOD_TRY(check_version(connection));
  return std::unique_ptr<DeadLetterStore>(std::make_unique<DeadLetters>(std::move(connection), instead));
}

}  // namespace makegood::postgres
