#include "cli/patient_store.hpp"

#include <gtest/gtest.h>

#include "stores/memory/memory.hpp"
#include "tests/support/fake_clock.hpp"

namespace makegood::cli {
namespace {

using namespace std::chrono_literals;
using testing_support::FakeClock;

class PatientStoreTest : public testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(first->take("first", 10s, {})->has_value()); }
  bool takes(const std::string& owner) { return patient.take(owner, 10s, {})->has_value(); }
  void give_up() { clock.advance(10s); }

  FakeClock clock;
  std::atomic<bool> lets_others_first = false;
  std::shared_ptr<memory::Database> database = memory::new_database();
  std::unique_ptr<OutboxStore> first = memory::open_store(database, clock);
  PatientStore patient{memory::open_store(database, clock), lets_others_first, clock};
};

TEST_F(PatientStoreTest, TakesAtOnceWhatBecomesFree) {
  EXPECT_FALSE(takes("second"));
  give_up();
  EXPECT_TRUE(takes("second"));
}

TEST_F(PatientStoreTest, LeavesOthersHalfASecondToBeFaster) {
  lets_others_first = true;
  clock.advance(10s - 1ms);
  EXPECT_FALSE(takes("second"));
  clock.advance(100ms);
  EXPECT_FALSE(takes("second")) << "it is free, and was asked for a moment ago";
  clock.advance(400ms);
  EXPECT_TRUE(takes("second"));
}

TEST_F(PatientStoreTest, AsksAtOnceWhenItHasNotAskedForAWhile) {
  lets_others_first = true;
  give_up();
  EXPECT_TRUE(takes("second"));
}

}  // namespace
}  // namespace makegood::cli
