#include "daemon/patient_store.hpp"

#include <gtest/gtest.h>

#include "stores/memory/memory.hpp"
#include "tests/support/fake_clock.hpp"

namespace makegood::daemon {
namespace {

using namespace std::chrono_literals;
using testing_support::FakeClock;

class PatientStoreTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(first->take("first", 10s, {})->has_value()); }
  bool takes(const std::string& owner) { return patient.take(owner, 10s, {})->has_value(); }
  void give_up() { clock.advance(10s); }

  FakeClock clock;
  std::atomic<Duration> patience = Duration{};
  std::shared_ptr<memory::Database> database = memory::new_database();
  std::unique_ptr<OutboxStore> first = memory::open_store(database, clock);
  PatientStore patient{memory::open_store(database, clock), patience, clock};
};

TEST_F(PatientStoreTest, TakesAtOnceWhatBecomesFree) {
  EXPECT_FALSE(takes("second"));
  give_up();
  EXPECT_TRUE(takes("second"));
}

TEST_F(PatientStoreTest, AsksAgainOnlyWhenItsPatienceIsOver) {
  patience = 500ms;
  clock.advance(10s - 1ms);
  EXPECT_FALSE(takes("second"));
  clock.advance(100ms);
  EXPECT_FALSE(takes("second")) << "it is free, and was asked for a moment ago";
  clock.advance(400ms);
  EXPECT_TRUE(takes("second"));
}

TEST_F(PatientStoreTest, AsksAtOnceWhenItHasNotBeenRefused) {
  patience = 500ms;
  give_up();
  EXPECT_TRUE(takes("second"));
  EXPECT_TRUE(patient.take("third", 10s, "second")->has_value()) << "from itself, after a turn that was lost";
}

}  // namespace
}  // namespace makegood::daemon
