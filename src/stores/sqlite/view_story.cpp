// One message with all that is known of it.
#include <algorithm>

#include "base/log_row.hpp"
#include "base/parked_row.hpp"
#include "base/request_row.hpp"
#include "base/story.hpp"
#include "makegood_store_sqlite_sql.hpp"
#include "stores/sqlite/message_search.hpp"
#include "stores/sqlite/outbox_view.hpp"
#include "stores/sqlite/transaction.hpp"

namespace makegood::sqlite {
namespace {

class StoryReader {
 public:
  StoryReader(Connection& connection, const Standing& standing) : connection_(connection), standing_(standing) {}

  Result<MessageView> read(Sequence sequence) {
    auto summary = MAKEGOOD_TRY(read_summary(connection_, standing_, sequence));
    if (!summary) return Error{Errc::not_found, "There is no such message; it may have been cleaned."};
    view_.summary = *std::move(summary);
    MAKEGOOD_TRY(read_message_of(sequence));
    MAKEGOOD_TRY(read_parked_deliveries());
    MAKEGOOD_TRY(add_routed_deliveries());
    std::ranges::sort(view_.deliveries, {}, &DeliveryView::destination);
    MAKEGOOD_TRY(read_requests());
    return std::move(view_);
  }

 private:
  Result<> read_message_of(Sequence sequence) {
    view_.message = MAKEGOOD_TRY(read_from(sql::read_number, sequence));
    is_in_log_ = view_.message != nullptr;
    if (!is_in_log_) view_.message = MAKEGOOD_TRY(read_from(sql::read_kept, sequence));
    return {};
  }

  Result<MessagePtr> read_from(std::string_view sql, Sequence sequence) {
    Rows row = MAKEGOOD_TRY(connection_.query(sql, sequence));
    if (!MAKEGOOD_TRY(row.next())) return MessagePtr();
    return read_message(row);
  }

  Result<> read_parked_deliveries() {
    Rows row = MAKEGOOD_TRY(connection_.query(sql::read_parked, view_.summary.sequence, std::string_view()));
    while (MAKEGOOD_TRY(row.next())) {
      auto story = MAKEGOOD_TRY(decode_story(row.text(parked_columns + 1)));
      view_.deliveries.push_back(delivery_view(MAKEGOOD_TRY(read_parked(row)), std::move(story)));
    }
    return {};
  }

  Result<> add_routed_deliveries() {
    const MessageHead head = head_of(*view_.message);
    for (const std::string& destination : standing_.destinations_of(head)) {
      const bool is_parked =
          std::ranges::find(view_.deliveries, destination, &DeliveryView::destination) != view_.deliveries.end();
      if (is_parked) continue;
      const Progress progress = standing_.progress_of(head, destination);
      DeliveryView delivery{.destination = destination, .state = std::string(to_string(progress))};
      delivery.attempts = progress == Progress::pending ? 0 : 1;
      // The turns that say when stay as long as the message is in the log.
      if (progress == Progress::delivered && is_in_log_) MAKEGOOD_TRY(add_delivering_turn(head, delivery));
      view_.deliveries.push_back(std::move(delivery));
    }
    return {};
  }

  /// What has been delivered stays so: the first turn that knew of it is found in a few steps, among however many.
  Result<> add_delivering_turn(const MessageHead& head, DeliveryView& delivery) {
    Rows range = MAKEGOOD_TRY(connection_.query(sql::turns_range));
    MAKEGOOD_TRY(range.next());
    TurnNumber low = range.integer(0);
    TurnNumber high = range.integer(1);
    while (low < high) {
      const TurnNumber middle = low + (high - low) / 2;
      Rows turn = MAKEGOOD_TRY(connection_.query(sql::turn_from, middle));
      MAKEGOOD_TRY(turn.next());
      if (MAKEGOOD_TRY(is_delivered_at(turn, head, delivery.destination))) {
        high = middle;
      } else {
        low = turn.integer(0) + 1;  // Turns between the middle and this one have been cleaned.
      }
    }
    Rows turn = MAKEGOOD_TRY(connection_.query(sql::turn_from, low));
    if (!MAKEGOOD_TRY(turn.next())) return {};
    delivery.story.push_back({.attempt = 1, .at = turn.time(2), .outcome = "ok", .owner = Owner(turn.text(1))});
    return {};
  }

  static Result<bool> is_delivered_at(const Rows& turn, const MessageHead& head, std::string_view destination) {
    // The routes play no part for a destination that is named.
    const Standing then(MAKEGOOD_TRY(decode_position(turn.text(3))), {});
    return then.progress_of(head, destination) == Progress::delivered;
  }

  Result<> read_requests() {
    Rows rows = MAKEGOOD_TRY(connection_.query(sql::requests_about, view_.summary.sequence));
    while (MAKEGOOD_TRY(rows.next())) view_.requests.push_back(MAKEGOOD_TRY(read_request_view(rows)));
    return {};
  }

  Connection& connection_;
  const Standing& standing_;
  bool is_in_log_ = false;
  MessageView view_;
};

}  // namespace

Result<MessageView> View::story(Sequence sequence) {
  auto snapshot = MAKEGOOD_TRY(Transaction::begin_read(connection_));
  const Standing standing = MAKEGOOD_TRY(read_standing(connection_, true));
  return StoryReader(connection_, standing).read(sequence);
}

}  // namespace makegood::sqlite
