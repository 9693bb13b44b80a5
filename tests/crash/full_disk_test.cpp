// A disk that becomes full under a producer and a relay, and is freed again: both go on without a restart, and no
// message stands alone.
#include <algorithm>
#include <fstream>
#include <iterator>

#include "tests/crash/crash_test.hpp"
#include "tests/crash/relay.hpp"
#include "tests/crash/shop.hpp"
#include "tests/crash/small_disk.hpp"

namespace makegood::crash {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t disk_bytes = std::size_t{3} << 20;
constexpr int cannot_mount = 4;

/// The story in a process of its own, because of its mount; it tells what it saw in the file `verdict`.
class FullDiskStory {
 public:
  explicit FullDiskStory(const Place& place) : place_(place) { set_to_machine_time(clock_); }

  int tell() {
    if (const std::string reason = mount_small_disk(place_.disk, disk_bytes); !reason.empty()) {
      verdict_ << reason << std::endl;
      return cannot_mount;
    }
    open();
    before();
    while_full();
    after();
    for (const std::string& violation : audit(place_)) verdict_ << violation << std::endl;
    return 0;
  }

 private:
  void expect(bool is_so, std::string_view sentence) {
    if (!is_so) verdict_ << sentence << std::endl;
  }
  void open() {
    relay_ = *Relay::open(place_, chronicle_, clock_);
    shop_ = *Shop::open(place_, chronicle_);
    // So that a large row meets the disk in its own statement, not at COMMIT.
    shop_->database().run("PRAGMA cache_size = 10");
  }
  void before() {
    expect(shop_->place_orders({{"k1"}, {"k1", Mood::moody}}), "An order failed before the disk was full.");
    relay_->run_for(200ms, clock_);
    expect(shop_->place_orders({{"k1"}, {}}), "An order failed before the disk was full.");
  }
  void while_full() {
    // Too little room for the business row: SQLite rolls back by itself. There is enough for a message that stands
    // alone.
    fill_disk(place_.disk, std::size_t{128} << 10);
    expect(!shop_->place_orders({{"k1", Mood::ok, 500'000}}), "A large order was committed to a full disk.");
    fill_disk(place_.disk);
    bool is_refused = false;
    for (int i = 0; i < 200 && !is_refused; ++i) is_refused = !shop_->place_orders({{"k2"}, {"k2"}});
    expect(is_refused, "Orders were committed to a full disk without end.");
    relay_->run_for(3s, clock_);
  }
  void after() {
    free_disk(place_.disk);
    expect(shop_->place_orders({{"k1"}, {"k2"}}), "An order failed after the disk was freed.");
    for (int i = 0; i < 20 && shop_->pending_count() != 0; ++i) relay_->run_for(1s, clock_);
    expect(shop_->pending_count() == 0, "Not everything was delivered after the disk was freed.");
    relay_->dispatcher().stop();
  }

  const Place& place_;
  std::ofstream verdict_{place_.folder / "verdict"};
  Chronicle chronicle_{place_.chronicle()};
  testing_support::FakeClock clock_;
  std::unique_ptr<Relay> relay_;
  std::unique_ptr<Shop> shop_;
};

TEST(FullDisk, IsSurvivedByProducerAndRelayWithoutARestart) {
  const testing_support::TemporaryFolder folder;
  const Place place{.folder = folder.path(), .disk = folder.path() / "disk"};
  std::filesystem::create_directory(place.disk);
  const int ending = Child([&] { return FullDiskStory(place).tell(); }).wait(60);
  std::ifstream stream(place.folder / "verdict");
  const std::string verdict(std::istreambuf_iterator<char>(stream), {});
  if (ending == cannot_mount) GTEST_SKIP() << "no small disk can be mounted here: " << verdict;
  ASSERT_EQ(ending, 0);
  EXPECT_EQ(verdict, "");

  const auto lines = read_chronicle(place.chronicle());
  EXPECT_GT(count_lines(lines, "turn_failed"), 0U) << "the relay never met the full disk";
  EXPECT_GT(count_lines(lines, "arrived"), 0U);
}

}  // namespace
}  // namespace makegood::crash
