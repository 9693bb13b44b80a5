#include <fmt/format.h>

#include <set>

#include "makegood/spi/assert.hpp"
#include "tests/crash/clearing.hpp"
#include "tests/crash/saga_story.hpp"
#include "tests/crash/store_at.hpp"

namespace makegood::crash {
namespace {

using Effects = std::map<std::string, std::int64_t>;

/// No crash of ours is a reason to undo anything; what nobody knows, or somebody has refused, is never completed.
std::set<SagaState> ends_of(std::string_view mood) {
  if (mood == "good" || mood == "shy" || mood == "patient" || mood == "slow") return {SagaState::completed};
  if (mood == "fickle") return {SagaState::cancelled, SagaState::completed};  // Its banks may be faster.
  return {SagaState::compensated};
}

class SagaAccounts {
 public:
  explicit SagaAccounts(const Place& place) : place_(place), banks_(place) {}

  Violations settle() {
    open();
    for (const Line& row : database_->ask("SELECT id FROM transfers ORDER BY id")) close(row.at(0));
    compare("alpha", banks_.alpha.effects());
    compare("beta", banks_.beta.effects());
    compare("gamma", banks_.gamma.effects());
    compare_starts();
    compare_told();
    for (std::string& each : database_->check_integrity()) complain(std::move(each));
    if (ended_.empty()) complain("Nothing was committed: this run shows nothing.");
    return violations_;
  }

 private:
  void complain(std::string sentence) { violations_.push_back(std::move(sentence)); }

  void open() {
    auto view = open_saga_view_at(place_, system_clock());
    auto database = open_database(place_.url());
    MAKEGOOD_ASSERT(view && database);
    view_ = *std::move(view);
    database_ = *std::move(database);
  }

  /// How it has ended, and what should be left of it in the banks.
  void close(const std::string& transfer) {
    const auto execution = view_->find("default", transfer);
    if (!execution || !*execution) return complain("P1: " + transfer + " was committed and is gone");
    const auto loaded = view_->load(**execution);
    if (!loaded || !*loaded || !(*loaded)->end) return complain("P1: " + transfer + " has not ended");
    const SagaState state = (*loaded)->end->summary.state;
    ended_.insert(transfer);
    if (!ends_of(mood_of(transfer)).contains(state)) {
      complain(fmt::format("P6: {} has ended as {}: {} {}", transfer, to_string(state), (*loaded)->end->summary.step,
                           (*loaded)->end->summary.code));
    }
    if (state != SagaState::completed) return;
    expected_["alpha"][transfer + " withdraw"] = withdrawn;
    expected_["beta"][transfer + " deposit"] = deposited;
    expected_["gamma"][transfer + " fee"] = fee;
  }

  void compare(const std::string& bank, const Effects& found) {
    Effects wanted = expected_[bank];
    for (const auto& [step, cents] : found) {
      const auto want = wanted.find(step);
      if (want == wanted.end() || want->second != cents) {
        complain(fmt::format("P6: {} of {} has moved {}", step, bank, cents));
      }
      wanted.erase(step);
    }
    for (const auto& [step, cents] : wanted) complain(fmt::format("P6: {} of {} has moved nothing", step, bank));
  }

  /// P2: what was rolled back is not there; P1: what its caller was told is.
  void compare_starts() {
    for (const Line& row : database_->ask("SELECT event_id FROM makegood_saga WHERE topic = 'transfer'")) {
      if (!ended_.contains(row.at(0))) complain("P2: " + row.at(0) + " was never committed and was carried out");
    }
    for (const Line& line : read_chronicle(place_.chronicle())) {
      if (line[0] == "committed" && !ended_.contains("good-" + line[1])) {
        complain("P1: the transfers of life " + line[1] + " were committed and are gone");
      }
    }
  }

  /// The message that tells of an end is in its turn: one each.
  void compare_told() {
    const auto told = database_->ask("SELECT count(*) FROM makegood_outbox WHERE topic = 'transfer.ended'");
    if (told != std::vector<Line>{{std::to_string(ended_.size())}}) {
      complain(fmt::format("P1: {} have ended, and {} messages tell of it", ended_.size(), told.at(0).at(0)));
    }
  }

  const Place& place_;
  Banks banks_;
  std::unique_ptr<SagaView> view_;
  std::unique_ptr<Database> database_;
  std::map<std::string, Effects> expected_;
  std::set<std::string> ended_;
  Violations violations_;
};

}  // namespace

Violations audit_sagas(const Place& place) { return SagaAccounts(place).settle(); }

}  // namespace makegood::crash
