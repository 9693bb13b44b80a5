// A database, producers, processes, destinations and operators in one thread, without a clock; faults by seed; and the
// checker.
//
// A run has two phases. In the first, each step picks something that may happen next, faults included. In the second
// nothing fails any more, and everything must come to rest: whatever is then neither delivered nor dead is lost.
//
// Every step draws its chance from the seed and its own number, so a schedule can be shortened by leaving steps out.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "makegood/clock.hpp"
#include "sim/chance.hpp"
#include "sim/checker.hpp"
#include "sim/faults.hpp"
#include "sim/node.hpp"
#include "sim/replay_numbers.hpp"
#include "sim/sites.hpp"
#include "stores/memory/database.hpp"
#include "stores/memory/memory.hpp"

namespace makegood::sim {

struct Plan {
  std::uint64_t seed = 1;
  std::uint64_t steps = 2000;
  std::optional<Faults> faults = {};     ///< Nothing: drawn by the seed.
  std::set<std::uint64_t> skipped = {};  ///< Steps that are left out.
  std::string watched = {};              ///< An event id whose story is told.
};

struct Summary {
  std::uint64_t seed = 0;
  Faults faults = {};
  std::uint64_t steps = 0;
  std::uint64_t trace = 0;  ///< A hash of everything that happened.
  std::size_t committed_count = 0;
  std::size_t arrival_count = 0;
  std::size_t duplicate_count = 0;
  std::uint64_t crash_count = 0;
  std::size_t dead_count = 0;
  Duration simulated = {};
  Sites sites = {};
  std::vector<std::string> violations = {};
  std::string culprit = {};             ///< The message that the first violation speaks of.
  std::vector<std::string> story = {};  ///< Of the watched message.
};

class World {
 public:
  explicit World(Plan plan);
  ~World();
  Summary run();

 private:
  class SimulatedClock final : public Clock {
   public:
    TimePoint now() const override { return TimePoint(std::chrono::hours(10'000)) + elapsed + shift; }
    MonotonicTime monotonic() const override { return MonotonicTime(elapsed); }
    Duration elapsed = {};
    Duration shift = {};
    bool has_jumped = false;
  };
  struct Written {
    std::string event_id;
    std::string topic;
    std::string tenant_id;
    std::string dispatch_key;
    int priority = 0;
    Checker::Committed message;
  };
  struct Producer {
    std::unique_ptr<memory::Transaction> transaction;
    std::vector<Written> written = {};
    std::set<std::string> keys = {};
    bool is_late = false;
  };
  struct Flight {
    std::size_t node;
    std::uint64_t life;
    Owner owner;
    Delivery delivery;
    MonotonicTime sent_at = {};
    bool has_left = true;  ///< False: it waits at the transport of its process.
  };
  /// What an answer must mean for the attempts of a delivery, as far as it is known.
  enum class Counts : std::uint8_t { perhaps, yes, no };
  enum class Weather : std::uint8_t { fair, down, flapping, slow };
  struct Place {
    std::string name;
    Weather weather = Weather::fair;
  };
  using Delivered = std::pair<std::string, Sequence>;  ///< Destination and number.
  /// The suspect that the committed turns of an owner name.
  /// Who sends which message where. By its event: others may have had its number before.
  struct Sending {
    Owner owner;
    std::string destination;
    std::string event_id;
    auto operator<=>(const Sending&) const = default;
  };
  struct Named {
    Owner owner;
    std::optional<Position::Alone> alone;
    MonotonicTime since;
    int late_steps = 0;  ///< Of its owner, after its time was over.
  };
  /// How a destination has fared, as one owner knows it.
  struct Health {
    bool is_registered = true;  ///< What is heard from others counts for nothing.
    bool is_said_gone = false;
    std::optional<Failing> failing = {};
  };

  void step(Chance& chance);

  // Producers: producers.cpp.
  void produce(Chance& chance);
  void enqueue(Producer& producer, Chance& chance);
  void flood(Chance& chance);
  bool lock_key(Producer& producer, const std::string& key);
  void end_a_transaction(Chance& chance);
  void end(Producer producer, bool is_commit);

  // Owners: owners.cpp.
  void step_a_node(Chance& chance);
  void step(std::size_t index, CallFault fault, std::uint64_t seed);
  void send(std::size_t index);
  void check_manners(const Owner& owner, const Delivery& delivery);
  void check_cancelled(const Delivery& delivery);
  void notice(const Turn& turn);
  void notice_parked(const Turn& turn, const Turn::Change& change);
  void notice_events(const Turn& turn);
  bool is_told(std::string_view topic, std::string_view tenant_id) const;
  std::size_t deaths_to_tell(const Turn& turn) const;
  void notice_position(const Turn& turn);
  void notice_answer(const RequestAnswer& answer);
  void notice_news(std::size_t index);
  void check_bounds(std::size_t index);
  void crash(std::size_t index, std::uint64_t seed);
  void disturb_a_node(Chance& chance);
  bool is_paused(std::size_t node) const { return paused_until_[node] > clock_.monotonic(); }
  bool is_standing_still(const Position& position, const Delivery& delivery) const;

  // Suspects: suspects.cpp.
  void count_death_of_named();
  void notice_clearing(const Turn& turn);
  void check_isolated(const Turn& turn);
  void check_named();
  void check_conviction(const Parked& row);
  bool is_hanging(const Flight& flight) const;

  // Destinations: destinations.cpp.
  void let_one_arrive(Chance& chance);
  bool hand_over(Flight& flight);
  Outcome answer_to(const Flight& flight, Chance& chance, bool& has_effect);
  void land(const Flight& flight, bool has_effect, Outcome answer, std::uint64_t seed);
  static Sending sending_of(const Flight& flight);
  void hear(const Flight& flight, Outcome answer);
  void expect_patience(const Flight& flight, const Outcome& answer);
  void change_the_weather(Chance& chance);
  Place& place_of(const std::string& destination);

  // How destinations fare: health.cpp.
  void begin_health(const Owner& owner);
  void note_health(const Flight& flight, const Outcome& answer, TimePoint now);
  void condemn(const std::pair<Owner, std::string>& place);
  void withdraw(const std::pair<Owner, std::string>& place);
  void notice_decision(const Turn& turn);
  void note_reach(const Flight& flight, const Outcome& answer, bool is_given_back);
  void check_counted(const Turn& turn, const Turn::Change& change);
  void notice_disabled(const Turn& turn);
  void expect_disabled(const Turn& turn);

  // The database, and time: database.cpp.
  void pass_time(Chance& chance);
  void shake_the_database(Chance& chance);
  void forget();

  // A copy of the database: copies.cpp.
  static constexpr std::string_view environment = "home";
  void copy_the_database(Chance& chance);

  // Somebody who writes by hand: tampering.cpp.
  void leave_numbers_alone();
  void tamper(Chance& chance);
  void empty_the_log(bool restarts_counter, bool is_passed);
  void set_the_counter_back(Chance& chance, Sequence cleaned);
  void draw_again();
  void promise_nothing_of_before();
  void notice_alarms(std::size_t index);
  bool is_of_before(const Parked& row) const { return lost_events_.contains(row.event_id); }

  // Operators: operators.cpp.
  void operate(Chance& chance);
  void ask_about_a_row(Chance& chance);
  void ask_to_cancel(Chance& chance);
  void ask_to_pause(Chance& chance);
  void ask_for_history(Chance& chance);
  void reroute(Chance& chance);
  void ask(const NewRequest& request);

  // Destinations and routes in the store: registry.cpp.
  void ask_to_configure(Chance& chance);
  void ask_to_configure(const RoutingChange& change);
  RoutingChange draw_change(Chance& chance) const;
  Destination draw_settings(const std::string& name, Chance& chance) const;
  const Destination* find_registered(const std::string& name) const;
  const Destination* find_settings(const std::string& name) const;
  bool is_removed(const std::string& destination) const;
  Routing registry_after(const RequestAnswer& answer, const Routing& before);
  void notice_registry(const Turn& turn);
  void check_registered(const Delivery& delivery);
  void check_death(const Parked& row);

  // The second phase: rest.cpp.
  void come_to_rest();
  void resume_everything();
  bool is_at_rest();
  static bool is_any_waiting(const memory::State& state);
  void settle_accounts();
  bool is_broken(const std::string& destination) const;
  bool has_read_everything(const memory::State& state) const;
  std::string first_pending();
  std::string what_is_left();
  std::vector<std::string> destinations_of(const Written& written) const;
  static std::vector<std::string> led_by(const Routing& routing, const Written& written);
  void note_routing_again(const Turn& turn, const Parked& row);
  void read_parked(const memory::State& state);
  bool is_still_routed_again(const std::string& event_id, const Position& position) const;

  void trace(std::uint64_t what, std::uint64_t detail);
  void violated(const std::string& sentence, Sequence sequence);
  void tell(Sequence sequence, const std::string& what);
  void tell(std::string_view event_id, const std::string& what);
  std::string event_of(Sequence sequence) const;

  const Plan plan_;
  Faults faults_;
  SimulatedClock clock_;
  Ids ids_;
  std::shared_ptr<memory::Database> database_;
  std::unique_ptr<OutboxView> operators_;
  DispatcherOptions options_;
  bool is_registry_in_store_ = false;
  std::vector<Place> places_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<MonotonicTime> paused_until_;
  std::deque<Producer> producers_;
  std::set<std::string> locked_keys_;
  std::vector<Flight> flights_;
  std::map<Sequence, Written> log_;  ///< Committed and not forgotten, as the world knows it.
  std::set<std::string> poison_;
  std::set<std::string> sour_;
  std::set<std::string> hanging_;
  Named named_;
  std::map<Delivered, int> named_deaths_;  ///< Owners that died while a turn of theirs named it; until it is cleared.
  std::map<Owner, Delivered> clearing_;    ///< By a decision that is not committed yet.
  /// They led nowhere or were cancelled unread; a replay led them where the routes of that moment did.
  std::map<std::string, std::vector<std::string>> routed_again_;
  std::set<Sequence> cancelled_;                        ///< Before they were read, and so for all destinations.
  std::map<Delivered, ParkedState> states_;             ///< Of parked deliveries, as the committed turns say.
  std::map<Owner, std::vector<Delivered>> unrecorded_;  ///< Successes that the owner knows and no turn has recorded.
  std::map<Owner, MonotonicTime> lease_from_;
  std::set<Sending> probes_;
  std::set<Sending> given_back_;  ///< Answers that must not cost an attempt.
  /// By owner, destination and event, since a number can be drawn twice: until when the destination wants to be spared.
  std::map<std::tuple<Owner, std::string, std::string>, MonotonicTime> not_before_;
  std::map<std::pair<Owner, std::string>, int> gone_;  ///< Who must disable whom, and for how many turns already.
  std::map<std::pair<Owner, std::string>, Health> health_;
  std::map<std::pair<Owner, std::string>, MonotonicTime> last_answers_;  ///< Who heard what from whom at last.
  std::map<Sending, MonotonicTime> last_failures_;
  std::map<Sending, Counts> counts_;
  std::map<Delivered, std::uint32_t> counted_;         ///< Answered attempts, as the committed turns say.
  std::set<std::pair<Owner, std::string>> condemned_;  ///< Who may disable whom with the next decision,
  std::set<std::pair<Owner, std::string>> judged_;     ///< and with the one that was made last.
  std::map<std::int64_t, NewRequest> asked_;
  std::set<std::int64_t> answered_;
  std::vector<Routing> routings_;  ///< Every version, as the committed turns say.
  Position position_;              ///< Of the last committed turn.
  Owner last_owner_;
  std::optional<memory::State> backup_;  ///< What the database may fall back to.
  Checker checker_;
  ReplayNumbers replay_numbers_;
  Summary summary_;
  std::set<std::string> lost_events_;  ///< Of messages from before somebody wrote by hand.
  LogMark mark_;                       ///< Of the last turn, as its owner said it.
  bool was_tampered_with_ = false;
  bool is_rewind_asked_ = false;
  bool is_unnoticed_ = false;  ///< Somebody wrote by hand, and no lane has stopped yet.
  std::uint64_t next_event_ = 0;
  bool has_forgotten_ = false;     ///< The database has, and perhaps how many died.
  bool has_other_deaths_ = false;  ///< An owner was lost, or looked so, and no poison was the cause.
};

}  // namespace makegood::sim
