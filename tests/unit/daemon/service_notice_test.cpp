#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "base/descriptor.hpp"
#include "daemon/service_notice.hpp"
#include "tests/support/temporary_folder.hpp"

namespace makegood::daemon {
namespace {

using namespace std::chrono_literals;

/// As systemd would listen.
class ServiceNoticeTest : public testing::Test {
 protected:
  void SetUp() override {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size());
    ASSERT_EQ(::bind(socket_.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::setenv("NOTIFY_SOCKET", path_.c_str(), 1);
  }
  void TearDown() override {
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) ::unsetenv(name);
  }
  std::string heard() {
    std::array<char, 512> text{};
    const ssize_t length = ::recv(socket_.number(), text.data(), text.size(), MSG_DONTWAIT);
    return {text.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
  }

 private:
  testing_support::TemporaryFolder folder_;
  const std::string path_ = (folder_.path() / "notify").string();
  Descriptor socket_{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
};

TEST_F(ServiceNoticeTest, TellsEachStep) {
  const ServiceNotice notice = ServiceNotice::from_environment();
  notice.ready("serving");
  EXPECT_EQ(heard(), "READY=1\nSTATUS=serving");
  notice.alive();
  EXPECT_EQ(heard(), "WATCHDOG=1");
  notice.stopping();
  EXPECT_TRUE(heard().starts_with("STOPPING=1"));
}

TEST_F(ServiceNoticeTest, KnowsWhenASignOfLifeIsExpected) {
  EXPECT_EQ(ServiceNotice::from_environment().watchdog_time(), std::nullopt);
  ::setenv("WATCHDOG_USEC", "3000000", 1);
  EXPECT_EQ(ServiceNotice::from_environment().watchdog_time(), Duration(3s));
  ::setenv("WATCHDOG_PID", "1", 1);
  EXPECT_EQ(ServiceNotice::from_environment().watchdog_time(), std::nullopt) << "it is meant for another process";
}

TEST_F(ServiceNoticeTest, IsSilentWhereNobodyListens) {
  ::unsetenv("NOTIFY_SOCKET");
  ServiceNotice::from_environment().ready("serving");
  EXPECT_EQ(heard(), "");
}

}  // namespace
}  // namespace makegood::daemon
