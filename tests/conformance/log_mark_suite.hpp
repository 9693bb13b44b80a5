// What all tests about the mark of a log begin with: an owner that has read some rows.
#pragma once

#include <algorithm>
#include <set>
#include <string>

#include "tests/conformance/store_suite.hpp"
#include "tests/support/relay_by_hand.hpp"

namespace makegood::conformance {

using testing_support::RelayByHand;

class LogMarkSuite : public StoreSuite {
 protected:
  /// An owner that has read this many rows, and says so.
  LaneOwner read_rows(int count) {
    for (int number = 1; number <= count; ++number) enqueue(a_message("old" + std::to_string(number)));
    LaneOwner owner = take();
    const Found found = owner.look(all_beyond(0));
    mark_ = {.anchor = found.rows.back()->sequence,
             .anchor_event = std::string(found.rows.back()->event_id),
             .counter = found.counter};
    owner.commit({.position = {.reached = found.looked_to}, .mark = mark_});
    return owner;
  }

  Committed clean_up(LaneOwner& owner, Duration retention = 1h) {
    const Clean step{.retention = retention, .dead_retention = {}, .rows_max = 1000};
    const Committed committed = owner.commit({.position = {.reached = mark_.counter}, .mark = mark_, .clean = step});
    mark_ = committed.mark.value();
    return committed;
  }

  /// The log is emptied and its counter restarted; so many others are enqueued, and the lane goes back to the
  /// beginning.
  LaneOwner fill_anew(LaneOwner& owner, int count) {
    hand_from_outside().empty_log();
    hand_from_outside().set_counter(0);
    enqueue_in_spite(count);
    owner.commit({.position = {.reached = 0}, .mark = {.counter = count}, .lease = {}});
    return take("next");
  }

  LogTrouble trouble(const LaneOwner& owner) {
    LookFor wanted = all_beyond(mark_.counter);
    wanted.is_thorough = true;
    return owner.look(wanted).trouble;
  }

  /// The producer of a number that is there already has to try again.
  void enqueue_in_spite(int count) {
    for (int number = 1; number <= count;) {
      const NewMessage message = a_message("new" + std::to_string(number));
      if (store().enqueue({&message, 1})) ++number;
    }
  }

  void ask(RequestKind kind) { value_of(view()->request({.kind = kind, .destination = {}, .operator_name = "olga"})); }

  RelayByHand a_relay() {
    DispatcherOptions options{.lease = lease};
    options.destinations = {{.name = "fn:a"}};
    options.routes = {{.pattern = "*", .destination = "fn:a"}};
    options.clean = {.retention = 1h, .dead_retention = {}, .rows_max = 1000};
    return {store(), clock(), options};
  }

  void deliver(RelayByHand& relay) {
    relay.run([this](const Delivery& delivery) {
      delivered_.insert(name_of(*delivery.message));
      return Outcome::ok();
    });
  }

  /// Time passes, and what is old enough is cleaned away.
  void pass_hours(RelayByHand& relay) {
    clock().advance(1s);
    deliver(relay);  // What has succeeded is recorded.
    clock().advance(2h);
    ASSERT_TRUE(relay.take());
    deliver(relay);
    clock().advance(61s);
    deliver(relay);
  }

  std::size_t new_count() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(delivered_, [](const std::string& name) { return name.starts_with("new"); }));
  }

  void rewind(RelayByHand& relay) {
    ask(RequestKind::rewind);
    clock().advance(1s);
    relay.look();
    relay.commit();
    ASSERT_FALSE(relay.lane().is_owner()) << "the turn that rewinds gives the lane up";
    ASSERT_TRUE(relay.take());
    deliver(relay);
    clock().advance(1s);
    deliver(relay);
  }

  LogMark mark_;
  std::set<std::string> delivered_;
};

}  // namespace makegood::conformance
