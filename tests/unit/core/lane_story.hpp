// A lane without a store and without threads: a test feeds it what happens and expects what it decides.
//
// The story stands for everything around the lane. It remembers the parked rows and the position of each committed
// turn, so that a delivery can be found due again, and a next owner can take over from exactly what was durable.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "core/lane.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/committed_message.hpp"
#include "tests/unit/core/printing.hpp"

namespace makegood::core {

using namespace std::chrono_literals;

using Numbers = std::vector<Sequence>;
using Sends = std::vector<std::pair<Sequence, std::string>>;

inline constexpr TimePoint story_begins =
    std::chrono::sys_days(std::chrono::year(2024) / 5 / 17) + std::chrono::hours(9);

/// A row of the log; converts to the message that a look hands out.
class Row {
 public:
  explicit Row(Sequence sequence) : sequence_(sequence) {}
  Row& with_key(std::string key) { return set(texts_.dispatch_key, std::move(key)); }
  Row& of_tenant(std::string tenant) { return set(texts_.tenant_id, std::move(tenant)); }
  Row& with_topic(std::string topic) { return set(texts_.topic, std::move(topic)); }
  Row& with_content(std::string content) { return set(texts_.content, std::move(content)); }
  Row& with_priority(int priority) { return set(priority_, priority); }
  Row& created_at(TimePoint moment) { return set(created_at_, moment); }
  Row& available_at(TimePoint moment) { return set(available_at_, moment); }
  Row& expires_at(TimePoint moment) { return set(expires_at_, moment); }
  operator MessagePtr() const;

 private:
  template <class Field, class Value>
  Row& set(Field& field, Value value) {
    field = std::move(value);
    return *this;
  }

  Sequence sequence_;
  testing_support::MessageTexts texts_ = {};
  int priority_ = 0;
  TimePoint created_at_ = story_begins;
  std::optional<TimePoint> available_at_ = {};
  std::optional<TimePoint> expires_at_ = {};
};

inline Row row(Sequence sequence) { return Row(sequence); }
/// The order of these matters.
inline Row of_key(Sequence sequence) { return row(sequence).with_key("k"); }

/// What a look finds. What is not told follows from the rest: it looked as far as its last row.
struct Seen {
  std::vector<MessagePtr> rows = {};
  std::vector<DueDelivery> due = {};
  std::vector<NextDue> next_due = {};
  std::vector<Request> requests = {};
  NumberSet open = {};
  Numbers unread = {};
  bool is_more = false;
  std::optional<Sequence> looked_to = {};
  std::optional<Sequence> counter = {};
  LogTrouble trouble = LogTrouble::none;
  Sequence first_row = 0;
};

class LaneStory : public testing::Test {
 protected:
  LaneStory();

  // The setting: to be changed before take().
  DispatcherOptions options;
  std::vector<std::string> running_ahead;
  Destination& destination(const std::string& name = "fn:a");
  /// One more, for every topic unless told otherwise.
  Destination& add_destination(const std::string& name, const std::string& pattern = "*");

  // What happens.
  void take(const Position& position = {}, const std::vector<NextDue>& next_due = {});
  /// A next owner, in a process of its own, begins with what the committed turns say.
  void take_over();
  void pass(Duration time) { now_ += time; }
  void shift_store_clock(Duration by) { shift_ += by; }
  void succeeds(Sequence sequence, const std::string& destination = "fn:a");
  void answers(Sequence sequence, Outcome outcome, const std::string& destination = "fn:a");

  // The exchange. look() decides; the turn is durable only after commit().
  LookFor asks() { return lane().look_for(now_); }
  bool look(const Seen& seen = {});
  void commit(std::size_t cleaned = 0);
  /// A look and the commit of its turn, if there is one.
  void exchange(const Seen& seen = {});

  // What the lane has decided. turn() is the one decided last, committed or not.
  const Turn& turn() const { return turn_; }
  bool is_parked(Sequence sequence, const std::string& destination = "fn:a") const;
  Parked parked(Sequence sequence, const std::string& destination = "fn:a") const;
  std::optional<AttemptNote> note_on(Sequence sequence, const std::string& destination = "fn:a") const;
  Numbers under_way(const std::string& destination = "fn:a") const;
  std::string answer_to(std::int64_t request) const;
  std::vector<Delivery> release();
  Numbers sent();
  Sends sends();

  // What was durable before.
  DueDelivery due(Sequence sequence, const std::string& destination = "fn:a") const;
  Request asked(RequestKind kind, Sequence sequence, const std::string& destination = "fn:a");
  void write(const Parked& parked, MessagePtr message = nullptr);
  Parked stored(Sequence sequence, const std::string& destination = "fn:a") const;

  // Whole chapters that many stories begin with.
  void send_first(const std::vector<MessagePtr>& rows);
  void fail_and_park(Sequence sequence, const std::string& destination = "fn:a");
  void try_again(Sequence sequence, const std::string& destination = "fn:a");
  void kill(Sequence sequence, const std::string& destination = "fn:a");

  Lane& lane() { return *lane_; }
  MonotonicTime now() const { return now_; }
  TimePoint store_now() const { return story_begins + now_.time_since_epoch() + shift_; }

 private:
  using Name = std::pair<Sequence, std::string>;
  void remember(const std::vector<MessagePtr>& rows);
  const Turn::Change* change_of(Sequence sequence, const std::string& destination) const;
  void begin(Taken taken);

  std::optional<Lane> lane_;
  MonotonicTime now_ = {};
  Duration shift_ = {};
  int takings_ = 0;
  std::int64_t requests_ = 0;
  TurnNumber turn_number_ = 1;
  Sequence reached_ = 0;
  Turn turn_;
  bool is_draft_ = false;
  Position position_;
  LogMark mark_;
  std::vector<Routing> routings_;
  std::map<Name, Parked> stored_;
  std::map<Sequence, MessagePtr> messages_;
  std::map<Name, Ticket> tickets_;
};

}  // namespace makegood::core
