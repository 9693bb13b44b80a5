// One message with all that is known of it.
#include "base/story.hpp"

#include <algorithm>
#include <array>

#include "base/log_row.hpp"
#include "base/parked_row.hpp"
#include "base/request_row.hpp"
#include "base/turn_row.hpp"
#include "stores/sql/message_search.hpp"
#include "stores/sql/outbox_view.hpp"
#include "stores/sql/transaction.hpp"

namespace makegood::relational {
namespace {

class StoryReader {
 public:
  StoryReader(Database& database, const Standing& standing)
      : database_(database), sql_(database.statements()), standing_(standing) {}

  Result<MessageView> read(Sequence sequence) {
    auto summary = MAKEGOOD_TRY(read_summary(database_, standing_, sequence));
    if (!summary) return Error{Errc::not_found, "There is no such message; it may have been cleaned."};
    view_.summary = *std::move(summary);
    MAKEGOOD_TRY(read_what_is_stored());
    MAKEGOOD_TRY(add_routed_deliveries());
    std::ranges::sort(view_.deliveries, {}, &DeliveryView::destination);
    return std::move(view_);
  }

 private:
  Result<> read_what_is_stored() {
    const Sequence sequence = view_.summary.sequence;
    const std::array questions = {Step(sql_.read_whole_message, sequence),
                                  Step(sql_.read_dead_letter, sequence, std::string_view()),
                                  Step(sql_.requests_about, sequence)};
    const auto answers = MAKEGOOD_TRY(database_.run(questions));
    MAKEGOOD_TRY(take_message(*answers[0]));
    MAKEGOOD_TRY(take_parked(*answers[1]));
    return take_requests(*answers[2]);
  }

  Result<> take_message(Rows& row) {
    constexpr int is_kept = expires_at_column + 1;
    MAKEGOOD_TRY(row.next());  // In the snapshot in which its summary was read.
    view_.message = read_message(row);
    is_in_log_ = !row.boolean(is_kept);
    return {};
  }

  Result<> take_parked(Rows& row) {
    while (MAKEGOOD_TRY(row.next())) {
      auto story = MAKEGOOD_TRY(decode_story(row.text(parked_columns + 1)));
      view_.deliveries.push_back(delivery_view(MAKEGOOD_TRY(read_parked(row)), std::move(story)));
    }
    return {};
  }

  Result<> take_requests(Rows& rows) {
    while (MAKEGOOD_TRY(rows.next())) view_.requests.push_back(MAKEGOOD_TRY(read_request_view(rows)));
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
      delivery.answered = progress == Progress::delivered ? 1 : 0;
      // The turns that say when stay as long as the message is in the log.
      if (progress == Progress::delivered && is_in_log_) MAKEGOOD_TRY(add_delivering_turn(head, delivery));
      view_.deliveries.push_back(std::move(delivery));
    }
    return {};
  }

  /// What has been delivered stays so: the first turn that knew of it is found in a few steps, among however many.
  Result<> add_delivering_turn(const MessageHead& head, DeliveryView& delivery) {
    const RowsPtr range = MAKEGOOD_TRY(database_.one(sql_.turns_range, main_lane));
    TurnNumber low = range->integer(0);
    TurnNumber high = range->integer(1);
    while (low < high) {
      const TurnNumber middle = low + (high - low) / 2;
      const RowsPtr turn = MAKEGOOD_TRY(database_.one(sql_.turn_from, middle, main_lane));
      if (MAKEGOOD_TRY(is_delivered_at(*turn, head, delivery.destination))) {
        high = middle;
      } else {
        low = turn->integer(0) + 1;  // Turns between the middle and this one have been cleaned.
      }
    }
    const RowsPtr turn = MAKEGOOD_TRY(database_.query(sql_.turn_from, low, main_lane));
    if (!MAKEGOOD_TRY(turn->next())) return {};
    delivery.story.push_back({.attempt = 1, .at = turn->time(2), .outcome = "ok", .owner = Owner(turn->text(1))});
    return {};
  }

  static Result<bool> is_delivered_at(const Rows& turn, const MessageHead& head, std::string_view destination) {
    // The routes play no part for a destination that is named.
    const Standing then(MAKEGOOD_TRY(decode_position(turn.text(3))), {});
    return then.progress_of(head, destination) == Progress::delivered;
  }

  Database& database_;
  const Statements& sql_;
  const Standing& standing_;
  bool is_in_log_ = false;
  MessageView view_;
};

}  // namespace

Result<MessageView> View::story(Sequence sequence) {
  const Transaction snapshot = MAKEGOOD_TRY(Transaction::begin_read(database_));
  const Standing standing = MAKEGOOD_TRY(read_standing(database_, true));
  return StoryReader(database_, standing).read(sequence);
}

}  // namespace makegood::relational
