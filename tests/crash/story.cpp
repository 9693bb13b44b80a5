#include "tests/crash/story.hpp"

#include "tests/crash/failpoints.hpp"
#include "tests/crash/relay.hpp"
#include "tests/crash/shop.hpp"
#include "tests/crash/statement_points.hpp"
#include "tests/crash/store_at.hpp"

namespace makegood::crash {
namespace {

using namespace std::chrono_literals;

constexpr int opening_attempts = 5;
constexpr int settling_rounds = 20;
constexpr int rounds_of_a_lost_life = 2;

class Story {
 public:
  Story(const Place& place, const Life& life) : place_(place), life_(life) {
    set_to_machine_time(clock_, std::chrono::hours(life.number));
  }

  Ending tell() {
    if (!open()) return Ending::left_over;
    morning();
    replay_dead();
    afternoon();
    bool is_done = is_at_rest();
    const int rounds_max = life_.is_last ? settling_rounds : rounds_of_a_lost_life;
    for (int round = 0; round < rounds_max && !is_done; ++round) {
      settle();
      is_done = is_at_rest();
    }
    relay_->dispatcher().stop();
    note_hits(chronicle_);
    return is_done ? Ending::at_rest : Ending::left_over;
  }

 private:
  /// The disk may fail once or twice; whoever starts a process tries again.
  bool open() {
    for (int attempt = 0; attempt < opening_attempts && !(relay_ && shop_ && view_); ++attempt) open_once();
    return relay_ && shop_ && view_;
  }
  void open_once() {
    if (!relay_) keep(relay_, Relay::open(place_, chronicle_, clock_));
    if (relay_ && !shop_) keep(shop_, Shop::open(place_, chronicle_));
    if (!view_) keep(view_, open_view_at(place_, clock_));
  }
  template <class T>
  static void keep(std::unique_ptr<T>& kept, Result<std::unique_ptr<T>> opened) {
    if (opened) kept = *std::move(opened);
  }

  void morning() {
    shop_->place_orders({{"k1"}, {"k1", Mood::moody}, {"k1"}});
    shop_->place_orders({{"k2", Mood::broken}, {"k2"}});
    shop_->place_orders({{"k1"}, {"k2"}}, End::roll_back);
    relay_->run_for(200ms, clock_);
  }
  void afternoon() {
    relay_->run_for(1200ms, clock_);
    shop_->place_orders({{"k1"}, {}});
    relay_->run_for(1200ms, clock_);
  }
  void settle() {
    if (life_.is_last) replay_dead();
    relay_->run_for(1s, clock_);
  }

  /// A request whose outcome is unknown may be carried out: it is written down before it is made.
  void replay_dead() {
    relay_->repair();
    const Step step("replay");
    const auto dead = view_->list_dead({}, {}, 1000);
    if (!dead) return;
    for (const auto& letter : *dead) {
      chronicle_.note({"replayed", letter.parked.destination, letter.event_id});
      pass("replay.before");
      (void)view_->request({.kind = RequestKind::replay,
                            .sequence = letter.parked.sequence,
                            .destination = letter.parked.destination,
                            .operator_name = "story"});
      pass("replay.after");
    }
  }

  bool is_at_rest() {
    if (shop_->pending_count() != 0) return false;
    if (!life_.is_last) return true;
    const auto dead = view_->list_dead({}, {}, 1);
    return dead && dead->empty();
  }

  const Place& place_;
  const Life& life_;
  Chronicle chronicle_{place_.chronicle()};
  testing_support::FakeClock clock_;
  std::unique_ptr<Relay> relay_;
  std::unique_ptr<Shop> shop_;
  std::unique_ptr<OutboxView> view_;
};

}  // namespace

Ending live(const Place& place, const Life& life) { return Story(place, life).tell(); }

}  // namespace makegood::crash
