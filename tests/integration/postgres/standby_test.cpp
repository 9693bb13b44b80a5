// A server that waits for a standby which never answers, until somebody loses patience.
#include <array>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/postgres/database.hpp"

namespace makegood::postgres {
namespace {

std::string say_to_server(const std::string& words) {
  const std::string command = "python3 -B " MAKEGOOD_SUPPORT "/postgres_server.py " + words;
  const std::unique_ptr<FILE, decltype([](FILE* pipe) { pclose(pipe); })> pipe(popen(command.c_str(), "r"));
  std::string answer;
  std::array<char, 256> part{};
  while (pipe && std::fgets(part.data(), part.size(), pipe.get()) != nullptr) answer += part.data();
  return answer.substr(0, answer.find('\n'));
}

/// One of the test's own: the setting holds for the whole server.
class Standby : public ::testing::Test {
 protected:
  void SetUp() override {
    if (testing_support::postgres_url().empty()) GTEST_SKIP() << testing_support::no_postgres;
    // The server may run as another user.
    std::filesystem::permissions(place_.path(), std::filesystem::perms(0755));
    url_ = say_to_server("start " + folder_ + " --set synchronous_standby_names=nobody");
    ASSERT_TRUE(url_.starts_with("postgres://")) << url_;
  }
  void TearDown() override {
    if (!url_.empty()) say_to_server("remove " + folder_);
  }

  std::string url_;
  // Not below TMPDIR, where the server's user may not get to; and a socket's path has to be short.
  testing_support::TemporaryFolder place_{"/tmp"};
  const std::string folder_ = place_.file("server");
};

TEST_F(Standby, AWaitThatWasGivenUpLeavesTheCommitInDoubt) {
  const PostgresClient app(url_);
  app.run("BEGIN; CREATE TABLE business (a integer)");
  Result<> committed = Error{Errc::internal, "It has not ended."};
  {
    const std::jthread program([&] { committed = commit(app.handle()); });
    const PostgresClient other(url_);
    const std::string of_the_program = " FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    EXPECT_TRUE(becomes_true([&] { return other.run("SELECT count(*)" + of_the_program) == "1"; }));
    other.run("SELECT pg_cancel_backend(pid)" + of_the_program);
  }
  EXPECT_EQ(code_of(committed), Errc::in_doubt);
  EXPECT_EQ(app.run("SELECT count(*) FROM business"), "0") << "it is there, on this server";
}

}  // namespace
}  // namespace makegood::postgres
