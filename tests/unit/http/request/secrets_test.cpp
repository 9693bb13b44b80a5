#include "transports/http/secrets.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/fake_clock.hpp"
#include "tests/support/temporary_folder.hpp"

namespace makegood::http {
namespace {

using testing_support::FakeClock;
using testing_support::TemporaryFolder;

class SecretsTest : public testing::Test {
 protected:
  std::string write(std::string_view text) {
    std::ofstream(folder_.file("token"), std::ios::trunc) << text;
    return "file:" + folder_.file("token");
  }
  std::string read(const std::string& reference) {
    const auto secret = secrets_.read(reference, places_);
    return secret ? secret->reveal() : "error: " + secret.error().message;
  }

  TemporaryFolder folder_;
  FakeClock clock_;
  std::vector<std::string> places_ = {"file:" + folder_.path().string(), "file:/dev"};
  std::vector<std::string> warnings_;
  Secrets secrets_{clock_, [this](std::string_view sentence) { warnings_.emplace_back(sentence); }};
};

TEST_F(SecretsTest, ComeFromAFileWithoutTheNewlineAtItsEnd) { EXPECT_EQ(read(write("open sesame\n")), "open sesame"); }

TEST_F(SecretsTest, ComeFromTheEnvironment) {
  ::setenv("MAKEGOOD_TEST_TOKEN", "from outside", 1);
  EXPECT_EQ(read("env:MAKEGOOD_TEST_TOKEN"), "from outside");
  EXPECT_EQ(read("env:MAKEGOOD_TEST_NO_TOKEN"), "error: The secret env:MAKEGOOD_TEST_NO_TOKEN is not set.");
}

TEST_F(SecretsTest, AreReadAgainWhenTheFileHasChanged) {
  const std::string reference = write("old");
  EXPECT_EQ(read(reference), "old");
  write("new");
  clock_.advance(std::chrono::milliseconds(500));
  EXPECT_EQ(read(reference), "old") << "not read for every message";
  clock_.advance(std::chrono::seconds(3));
  EXPECT_EQ(read(reference), "new");
}

TEST_F(SecretsTest, AreKeptForAMinuteWhileTheirFileIsBeingReplaced) {
  const std::string reference = write("old");
  EXPECT_EQ(read(reference), "old");
  write("");
  clock_.advance(std::chrono::seconds(59));
  EXPECT_EQ(read(reference), "old");
  clock_.advance(std::chrono::seconds(10));
  EXPECT_TRUE(read(reference).starts_with("error: ")) << read(reference);
  write("new");
  EXPECT_EQ(read(reference), "new");
}

TEST_F(SecretsTest, MakeANewSigningKeyOnlyWhenTheTextHasChanged) {
  const std::string reference = write("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
  const auto sign = [&] {
    std::string signature;
    const auto key = secrets_.signing_key(reference, places_);
    return key && (*key)->sign("a", 1, "b", signature) ? signature : "error";
  };
  const SigningKey* first = *secrets_.signing_key(reference, places_);
  const std::string before = sign();
  clock_.advance(std::chrono::seconds(3));
  EXPECT_EQ(*secrets_.signing_key(reference, places_), first);
  EXPECT_EQ(sign(), before);
  write("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
  clock_.advance(std::chrono::seconds(3));
  EXPECT_NE(sign(), before);
}

TEST_F(SecretsTest, AreNeverRepeatedByAnError) {
  const auto key = secrets_.signing_key(write("TopSecretButNoKey"), places_);
  ASSERT_FALSE(key);
  EXPECT_NE(key.error().message.find("token"), std::string::npos) << "it says where";
  EXPECT_EQ(key.error().message.find("TopSecret"), std::string::npos);
}

TEST_F(SecretsTest, AreNoFoldersNoPipesAndNotEndless) {
  EXPECT_NE(read("file:" + folder_.path().string()).find("is not a file"), std::string::npos);
  EXPECT_NE(read("file:" + folder_.file("missing")).find("cannot be opened"), std::string::npos);
  EXPECT_NE(read("file:/dev/zero").find("is not a file"), std::string::npos);
  EXPECT_NE(read(write(std::string(20'000, 'x'))).find("is longer than"), std::string::npos);
}

TEST_F(SecretsTest, AreReadWhereTheyReallyAre) {
  const TemporaryFolder elsewhere;
  std::ofstream(elsewhere.file("stolen")) << "not for you";
  std::filesystem::create_symlink(elsewhere.file("stolen"), folder_.file("link"));
  EXPECT_NE(read("file:" + folder_.file("link")).find("leads out of the places for secrets"), std::string::npos);
  std::filesystem::create_directory_symlink(elsewhere.path(), folder_.file("folder"));
  EXPECT_NE(read("file:" + folder_.file("folder") + "/stolen").find("leads out of"), std::string::npos);
  write("mine");
  std::filesystem::create_symlink("token", folder_.file("inside"));
  EXPECT_EQ(read("file:" + folder_.file("inside")), "mine") << "as Kubernetes lays them out";
}

TEST_F(SecretsTest, MayBeInAPlaceThatIsALinkItself) {
  const TemporaryFolder elsewhere;
  write("mine");
  std::filesystem::create_directory_symlink(folder_.path(), elsewhere.file("secrets"));
  places_ = {"file:" + elsewhere.file("secrets") + "/"};
  EXPECT_EQ(read("file:" + elsewhere.file("secrets") + "/token"), "mine");
}

TEST_F(SecretsTest, OfOneDestinationAreNotThoseOfAnother) {
  const std::string reference = write("mine");
  EXPECT_EQ(read(reference), "mine");
  places_ = {"file:/run/secrets/"};
  EXPECT_NE(read(reference).find("leads out of"), std::string::npos) << "what is kept is not for everybody";
}

TEST_F(SecretsTest, AreNotWaitedForAtAPipe) {
  ASSERT_EQ(::mkfifo(folder_.file("pipe").c_str(), 0600), 0);
  EXPECT_NE(read("file:" + folder_.file("pipe")).find("is not a file"), std::string::npos);
}

TEST_F(SecretsTest, ThatEverybodyMayReadAreWarnedOfOnce) {
  const std::string reference = write("open");
  std::filesystem::permissions(folder_.file("token"), std::filesystem::perms{0644});
  read(reference);
  clock_.advance(std::chrono::minutes(1));
  read(reference);
  ASSERT_EQ(warnings_.size(), 1U);
  EXPECT_NE(warnings_[0].find("everybody on this machine may read " + folder_.file("token")), std::string::npos);
  EXPECT_EQ(warnings_[0].find("open"), std::string::npos);
}

TEST(References, SayWhereASecretIsAndNothingElse) {
  for (const std::string_view good : {"file:/run/secrets/token", "env:TOKEN", "env:_t1"})
    EXPECT_TRUE(check_reference(good));
  for (const std::string_view bad :
       {"", "TopSecret", "file:", "file:relative", "file:/a/../b", "file:/a/..", "file:/a/", "file:/a\nb",
        "env:", "env:A=B", "env:A B", "https://vault/TopSecret", "FILE:/a"}) {
    const auto checked = check_reference(bad);
    ASSERT_FALSE(checked) << bad;
    EXPECT_EQ(checked.error().message.find("TopSecret"), std::string::npos);
  }
}

TEST(References, OfTenantsStayBelowWhatIsAllowed) {
  const std::vector<std::string> allowed = {"file:/run/secrets/tenants", "env:TENANT_"};
  EXPECT_TRUE(is_allowed("file:/run/secrets/tenants/a", allowed));
  EXPECT_TRUE(is_allowed("env:TENANT_A", allowed));
  EXPECT_FALSE(is_allowed("file:/run/secrets/tenants-of-others/a", allowed));
  EXPECT_FALSE(is_allowed("file:/run/secrets/tenants/../root", allowed));
  EXPECT_FALSE(is_allowed("file:/etc/passwd", allowed));
  EXPECT_FALSE(is_allowed("env:PATH", allowed));
  EXPECT_FALSE(is_allowed("env:TENANT_A", {}));
}

}  // namespace
}  // namespace makegood::http
