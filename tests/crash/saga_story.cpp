#include "tests/crash/saga_story.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/saga/request.hpp"
#include "tests/crash/clearing.hpp"
#include "tests/crash/failpoints.hpp"
#include "tests/crash/relay.hpp"
#include "tests/crash/statement_points.hpp"
#include "tests/crash/store_at.hpp"

namespace makegood::crash {
namespace {

using namespace std::chrono_literals;

constexpr const char* transfers_table = "CREATE TABLE IF NOT EXISTS transfers (id TEXT PRIMARY KEY)";
constexpr int saga_opening_attempts = 5;
constexpr int saga_rounds_max = 20;

class SagaStory {
 public:
  SagaStory(const Place& place, const Life& life, Duration clock_jump = {})
      : place_(place), life_(life), clock_jump_(clock_jump) {
    set_to_machine_time(clock_, std::chrono::hours(life.number));
  }

  Ending tell() {
    if (!open()) return Ending::left_over;
    define();
    start(moods, "");
    start(std::to_array<std::string_view>({"good"}), "ROLLBACK");
    clearing_->run_for(2s, clock_);
    clock_.shift_wall(clock_jump_);
    bool is_done = false;
    for (int round = 0; round < saga_rounds_max && !is_done; ++round) {
      clearing_->run_for(20s, clock_);
      if (round == 0) call_off();
      call_back();
      decide();
      is_done = is_at_rest();
    }
    clearing_->orchestrator().stop();
    note_hits(chronicle_);
    return is_done ? Ending::at_rest : Ending::left_over;
  }

 private:
  bool open() {
    for (int attempt = 0; attempt < saga_opening_attempts && !(clearing_ && database_ && view_); ++attempt) {
      if (!clearing_) keep(clearing_, Clearing::open(place_, chronicle_, clock_));
      if (!database_) keep(database_, open_database(place_.url()));
      if (clearing_ && !view_) keep(view_, open_saga_view_at(place_, clock_));
    }
    return clearing_ && database_ && view_ && database_->run(transfers_table);
  }
  template <class T>
  static void keep(std::unique_ptr<T>& kept, Result<std::unique_ptr<T>> opened) {
    if (opened) kept = *std::move(opened);
  }

  void define() {
    const Step step("define");
    pass("define.before");
    (void)put_definition(*view_, Clearing::definition());
    pass("define.after");
  }

  /// In one transaction with a row of the caller's own.
  void start(std::span<const std::string_view> which, const std::string& end) {
    const Step step("enqueue");
    pass("enqueue.before");
    bool is_written = database_->begin();
    for (const std::string_view mood : which) is_written = is_written && insert(transfer(mood, end));
    if (!is_written || !end.empty()) {
      if (database_->is_in_transaction()) database_->run("ROLLBACK");
      return;
    }
    const bool is_committed = database_->commit().has_value();
    if (is_committed) chronicle_.note({"committed", std::to_string(life_.number)});
    if (database_->is_in_transaction()) database_->run("ROLLBACK");
    pass("enqueue.after");
  }
  std::string transfer(std::string_view mood, std::string_view end = {}) const {
    return fmt::format("{}-{}{}", mood, life_.number, end);
  }
  bool insert(const std::string& id) {
    if (!database_->run(fmt::format("INSERT INTO transfers VALUES ('{}')", id))) return false;
    pass("enqueue.ordered");
    const bool is_started = database_->run(
        fmt::format(R"(INSERT INTO makegood_saga (topic, event_id, payload) VALUES ('{}', '{}', '{{"amount":30}}'))",
                    transfer_definition, id));
    pass("enqueue.inserted");
    return is_started;
  }

  void ask(const NewMessage& request) {
    const Step step("ask");
    pass("ask.before");
    (void)view_->append({&request, 1});
    pass("ask.after");
  }
  void ask_for(const char* verb, const std::string& transfer) {
    ask(core::request_row(transfer, {.verb = verb, .operator_name = "story", .reason = "the story wants it"}));
  }
  void call_off() { ask_for("cancel", transfer("fickle")); }
  /// What the bank owes has its effect now, if it still may. A bank that forgets what it owes is asked again.
  void call_back() {
    for (const auto& [key, attempt] : clearing_->take_owed()) {
      const bool is_done = clearing_->slow_bank().act(key, fee);
      NewMessage row = core::answer_row(key.execution, {.step = key.step,
                                                        .direction = core::Direction::action,
                                                        .round = key.round,
                                                        .attempt = attempt,
                                                        .outcome = is_done ? SagaOutcome::ok : SagaOutcome::fail,
                                                        .code = is_done ? "" : "COMPENSATED"});
      row.event_id = fmt::format("answer-{}-{}-{}", key.execution, key.round, attempt);
      ask(row);
    }
  }
  /// What is risky is not done; everything else that waits for somebody goes on.
  void decide() {
    const auto waiting = view_->list({.states = {SagaState::manual}}, 0, 1000, 100'000);
    if (!waiting) return;
    for (const SagaSummary& each : waiting->items) ask_for(each.code == "RISK" ? "compensate" : "retry", each.id);
  }

  bool is_at_rest() {
    const auto counts = view_->counts();
    return counts && std::ranges::all_of(*counts, [](const SagaCounts& each) { return has_ended(each.state); });
  }

  const Place& place_;
  const Life& life_;
  const Duration clock_jump_;
  Chronicle chronicle_{place_.chronicle()};
  testing_support::FakeClock clock_;
  std::unique_ptr<Clearing> clearing_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<SagaView> view_;
};

}  // namespace

Ending live_with_sagas(const Place& place, const Life& life) { return SagaStory(place, life).tell(); }
Ending live_with_a_clock_set_forward(const Place& place, const Life& life) { return SagaStory(place, life, 1h).tell(); }
Ending live_with_a_clock_set_back(const Place& place, const Life& life) { return SagaStory(place, life, -1h).tell(); }

}  // namespace makegood::crash
