#include <limits>

#include "base/parked_row.hpp"
#include "makegood_store_sqlite_sql.hpp"
#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/dead_scan.hpp"
#include "stores/sqlite/migrate.hpp"
#include "stores/sqlite/routing_row.hpp"
#include "stores/sqlite/sqlite.hpp"
#include "stores/sqlite/transaction.hpp"

namespace makegood::sqlite {
namespace {

class DeadLetters final : public DeadLetterStore {
 public:
  DeadLetters(Connection connection, const Clock& clock) : clock_(clock), connection_(std::move(connection)) {}

  Result<std::vector<DeadLetter>> list(std::string_view tenant_id, Sequence after, std::size_t rows_max) override {
    std::vector<DeadLetter> letters;
    if (rows_max == 0 || after == std::numeric_limits<Sequence>::max()) return letters;
    const DeadFilter filter{.tenant_id = std::string(tenant_id)};
    DeadScan scan = MAKEGOOD_TRY(DeadScan::begin(connection_, filter, {.sequence = after + 1}));
    while (MAKEGOOD_TRY(scan.next())) {
      // A page ends between two messages: the next one begins after a number, so all of that number must be on this
      // one.
      const bool is_full = letters.size() >= rows_max;
      if (is_full && letters.back().parked.sequence != scan.sequence()) break;
      letters.push_back(MAKEGOOD_TRY(read_dead_letter(connection_, scan.sequence(), scan.destination())));
    }
    return letters;
  }

  Result<DeadLetter> inspect(std::string_view tenant_id, Sequence sequence, std::string_view destination) override {
    DeadLetter letter = MAKEGOOD_TRY(read_dead_letter(connection_, sequence, destination));
    const bool is_theirs = tenant_id.empty() || tenant_id == letter.parked.tenant_id;
    if (!is_theirs || destination.empty()) return Error{Errc::not_found, "There is no such parked delivery."};
    return letter;
  }

  Result<std::vector<BlockedKey>> blocked_keys(std::size_t rows_max) override {
    std::vector<BlockedKey> keys;
    Rows rows = MAKEGOOD_TRY(connection_.query(sql::blocked_keys, static_cast<std::int64_t>(rows_max)));
    while (MAKEGOOD_TRY(rows.next())) {
      Parked head = MAKEGOOD_TRY(read_parked(rows));
      keys.push_back(
          {.head = std::move(head), .waiting_count = static_cast<std::size_t>(rows.integer(parked_columns))});
    }
    return keys;
  }

  Result<LaneView> lane() override {
    LaneView view;
    auto snapshot = MAKEGOOD_TRY(Transaction::begin_read(connection_));
    view.counter = MAKEGOOD_TRY(connection_.number(sql::look_heads));
    view.routings = MAKEGOOD_TRY(read_routings(connection_, RoutingsOf::lanes));
    MAKEGOOD_TRY(read_last_turn(view));
    MAKEGOOD_TRY(snapshot.commit());
    return view;
  }

  Result<std::int64_t> request(const NewRequest& request) override {
    // One statement outside a transaction commits when it is stepped to its end.
    Rows rows = MAKEGOOD_TRY(connection_.query(
        sql::append_request, to_string(request.kind), request.sequence, request.destination, request.operator_name,
        request.reason, request.tenant_id, request.until, request.document, to_milliseconds(clock_.now())));
    MAKEGOOD_TRY(rows.next());
    const std::int64_t id = rows.integer(0);
    MAKEGOOD_TRY(rows.finish());
    return id;
  }

  Result<std::optional<std::string>> answer_to(std::int64_t request_id) override {
    Rows rows = MAKEGOOD_TRY(connection_.query(sql::answer_to, request_id));
    if (!MAKEGOOD_TRY(rows.next())) return Error{Errc::not_found, "There is no such request."};
    const bool is_open = rows.is_null(0);
    if (is_open) return std::optional<std::string>();
    return std::optional(std::string(rows.text(1)));
  }

 private:
  Result<> read_last_turn(LaneView& view) {
    Rows rows = MAKEGOOD_TRY(connection_.query(sql::last_turn));
    if (!MAKEGOOD_TRY(rows.next())) return {};
    view.turn = rows.integer(0);
    view.owner = Owner(rows.text(1));
    view.at = rows.time(2);
    view.lease_until = rows.time(3);
    view.position = MAKEGOOD_TRY(decode_position(rows.text(5)));
    return {};
  }

  const Clock& clock_;
  Connection connection_;
};

}  // namespace

Result<std::unique_ptr<DeadLetterStore>> open_dead_letters(std::string_view path, std::string_view outbox,
                                                           const Clock& clock) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  Connection connection = MAKEGOOD_TRY(Connection::open_existing(path, identifier));
  // Before anything is changed in a file that may be somebody else's.
  MAKEGOOD_TRY(check_version(connection));
  MAKEGOOD_TRY(connection.use_write_ahead_log());
  return std::unique_ptr<DeadLetterStore>(std::make_unique<DeadLetters>(std::move(connection), clock));
}

}  // namespace makegood::sqlite
