#include "transports/net/resolver.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/dns_server.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/unit/http/guard/resolver_loop.hpp"

namespace makegood::http {
namespace {

using testing_support::DnsReply;
using testing_support::DnsServer;
using testing_support::FakeClock;
using Answered = Result<std::vector<Address>>;
using namespace std::chrono_literals;

std::vector<std::string> texts(const Answered& answered) {
  if (!answered) return {answered.error().message};
  std::vector<std::string> result;
  for (const Address& address : *answered) result.push_back(to_string(address));
  return result;
}
using Texts = std::vector<std::string>;

class Resolving : public testing::Test {
 protected:
  Texts look_up(const std::string& host, Duration timeout = 10s) { return texts(loop_.look_up(host, timeout)); }

  DnsServer dns_;
  FakeClock clock_;
  ResolverLoop loop_{{dns_.server()}, clock_};
};

TEST_F(Resolving, GivesAllAddressesOfANameIpv4First) {
  dns_.script("good.example", {.addresses = {"2606:4700::1", "8.8.8.8", "1.1.1.1"}});
  EXPECT_EQ(look_up("good.example"), (Texts{"8.8.8.8", "1.1.1.1", "2606:4700::1"}));
}

TEST_F(Resolving, GivesEachAddressOnce) {
  dns_.script("twice.example", {.addresses = {"8.8.8.8", "1.1.1.1", "8.8.8.8"}});
  EXPECT_EQ(look_up("twice.example"), (Texts{"8.8.8.8", "1.1.1.1"}));
}

TEST_F(Resolving, AsksNobodyAboutAnAddress) {
  EXPECT_EQ(look_up("127.0.0.1"), Texts{"127.0.0.1"});
  EXPECT_EQ(look_up("::1"), Texts{"::1"});
  EXPECT_EQ(loop_.watched(), 0U);
}

TEST_F(Resolving, SaysWhatWentWrong) {
  using enum DnsReply::Manner;
  dns_.script("empty.example", DnsReply{});
  dns_.script("broken.example", {.manner = server_failure});
  EXPECT_EQ(look_up("missing.example"), Texts{"The name `missing.example` does not exist."});
  EXPECT_EQ(look_up("empty.example"), Texts{"The name `empty.example` has no address."});
  EXPECT_EQ(look_up("broken.example"), Texts{"The name `broken.example` could not be looked up."});
  EXPECT_EQ(loop_.look_up("missing.example").error().code, Errc::unavailable);
}

TEST_F(Resolving, ReadsAThousandAddressesOverTcp) {
  DnsReply reply;
  for (int index = 0; index < 1000; ++index) {
    reply.addresses.push_back("8.8." + std::to_string(index / 250) + "." + std::to_string(index % 250));
  }
  dns_.script("many.example", reply);
  EXPECT_EQ(look_up("many.example"), reply.addresses);
  EXPECT_EQ(dns_.tcp_questions(), 1U);
}

TEST_F(Resolving, KeepsAnAnswerForItsTimeToLive) {
  dns_.script("kept.example", {{.addresses = {"8.8.8.8"}, .ttl_seconds = 10}, {.addresses = {"1.1.1.1"}}});
  EXPECT_EQ(look_up("kept.example"), Texts{"8.8.8.8"});
  clock_.advance(10s - 1us);
  EXPECT_EQ(look_up("kept.example"), Texts{"8.8.8.8"});
  EXPECT_EQ(dns_.look_ups("kept.example"), 1U);
  clock_.advance(1us);
  EXPECT_EQ(look_up("kept.example"), Texts{"1.1.1.1"});
}

TEST_F(Resolving, KeepsAnAnswerForASecondAtLeastAndAMinuteAtMost) {
  dns_.script("short.example", {{.addresses = {"8.8.8.8"}, .ttl_seconds = 0}, {.addresses = {"1.1.1.1"}}});
  dns_.script("long.example", {{.addresses = {"8.8.8.8"}, .ttl_seconds = 86'400}, {.addresses = {"1.1.1.1"}}});
  look_up("short.example");
  look_up("long.example");
  clock_.advance(1s - 1us);
  EXPECT_EQ(look_up("short.example"), Texts{"8.8.8.8"});
  clock_.advance(1us);
  EXPECT_EQ(look_up("short.example"), Texts{"1.1.1.1"});
  clock_.advance(59s - 1us);
  EXPECT_EQ(look_up("long.example"), Texts{"8.8.8.8"});
  clock_.advance(1us);
  EXPECT_EQ(look_up("long.example"), Texts{"1.1.1.1"});
}

TEST_F(Resolving, KeepsAFailureForASecond) {
  dns_.script("soon.example", {{.manner = DnsReply::Manner::no_such_name}, {.addresses = {"8.8.8.8"}}});
  EXPECT_EQ(look_up("soon.example"), Texts{"The name `soon.example` does not exist."});
  clock_.advance(1s - 1us);
  EXPECT_EQ(look_up("soon.example"), Texts{"The name `soon.example` does not exist."});
  clock_.advance(1us);
  EXPECT_EQ(look_up("soon.example"), Texts{"8.8.8.8"});
}

TEST_F(Resolving, AsksOnceForAllWhoWaitForAName) {
  dns_.script("popular.example", {.addresses = {"8.8.8.8"}});
  std::size_t answers = 0;
  for (int asker = 0; asker < 100; ++asker) {
    loop_.resolver().resolve("popular.example", 10s, [&](const Answered& answered) { answers += answered ? 1U : 0U; });
  }
  EXPECT_TRUE(loop_.serve_until([&] { return answers == 100; }));
  EXPECT_EQ(dns_.look_ups("popular.example"), 1U);
}

TEST_F(Resolving, GivesUpOnASilentServerInTheTimeOfTheCaller) {
  dns_.script("silent.example", {.manner = DnsReply::Manner::silent});
  std::optional<Answered> first;
  std::optional<Answered> second;
  loop_.resolver().resolve("silent.example", 100ms, [&](const Answered& answered) { first = answered; });
  loop_.resolver().resolve("silent.example", 200ms, [&](const Answered& answered) { second = answered; });
  ASSERT_TRUE(loop_.resolver().next_timeout());
  EXPECT_LE(*loop_.resolver().next_timeout(), Duration(100ms));
  clock_.advance(100ms);
  EXPECT_EQ(loop_.resolver().next_timeout(), Duration::zero());
  loop_.resolver().timed_out();
  ASSERT_TRUE(first);
  EXPECT_EQ(texts(*first), Texts{"The name `silent.example` was not looked up in time."});
  EXPECT_EQ(first->error().code, Errc::unavailable);
  EXPECT_FALSE(second);
  clock_.advance(100ms);
  loop_.resolver().timed_out();
  EXPECT_TRUE(second);
}

TEST_F(Resolving, WaitsForASlowServer) {
  dns_.script("slow.example", {.addresses = {"8.8.8.8"}, .delay = 300ms});
  EXPECT_EQ(look_up("slow.example"), Texts{"8.8.8.8"});
}

/// Together, because c-ares goes by the real clock and all of them take its three seconds.
TEST_F(Resolving, GivesUpByItselfOnServersThatSayNothingUseful) {
  using enum DnsReply::Manner;
  dns_.script("silent.example", {.manner = silent});
  dns_.script("garbled.example", {.manner = garbled});
  dns_.script("half.example", {.addresses = {"8.8.8.8", "2606:4700::1"}, .manner = silent_on_v6});
  std::map<std::string, Texts> seen;
  for (const std::string host : {"silent.example", "garbled.example", "half.example"}) {
    loop_.resolver().resolve(host, 1h, [&seen, host](const Answered& answered) { seen[host] = texts(answered); });
  }
  EXPECT_TRUE(loop_.serve_until([&] { return seen.size() == 3; }));
  EXPECT_EQ(seen["silent.example"], Texts{"The name `silent.example` could not be looked up."});
  EXPECT_EQ(seen["garbled.example"], Texts{"The name `garbled.example` could not be looked up."});
  EXPECT_EQ(seen["half.example"], Texts{"8.8.8.8"});
  EXPECT_EQ(loop_.watched(), 0U);
}

TEST_F(Resolving, LetsAnAnswerAskAgain) {
  dns_.script("first.example", {.addresses = {"8.8.8.8"}});
  dns_.script("second.example", {.addresses = {"1.1.1.1"}});
  std::vector<Texts> seen;
  loop_.resolver().resolve("first.example", 10s, [&](const Answered& first) {
    seen.push_back(texts(first));
    loop_.resolver().resolve("first.example", 10s, [&](const Answered& kept) { seen.push_back(texts(kept)); });
    loop_.resolver().resolve("second.example", 10s, [&](const Answered& second) { seen.push_back(texts(second)); });
  });
  EXPECT_TRUE(loop_.serve_until([&] { return seen.size() == 3; }));
  EXPECT_EQ(seen, (std::vector<Texts>{{"8.8.8.8"}, {"8.8.8.8"}, {"1.1.1.1"}}));
}

TEST_F(Resolving, AnswersNobodyAfterItWasStoppedByAnAnswer) {
  dns_.script("stopping.example", {.addresses = {"8.8.8.8"}});
  dns_.script("waiting.example", {.addresses = {"8.8.8.8"}, .delay = 1h});
  std::size_t answers = 0;
  const auto stop = [&](const Answered&) {
    ++answers;
    loop_.resolver().stop();
  };
  loop_.resolver().resolve("waiting.example", 10s, [&](const Answered&) { ++answers; });
  loop_.resolver().resolve("stopping.example", 10s, stop);
  loop_.resolver().resolve("stopping.example", 10s, stop);
  EXPECT_TRUE(loop_.serve_until([&] { return answers > 0; }));
  EXPECT_EQ(loop_.watched(), 0U);
  loop_.resolver().resolve("8.8.8.8", 10s, [&](const Answered&) { ++answers; });
  clock_.advance(1h);
  loop_.resolver().timed_out();
  loop_.resolver().ready(0, true, false);
  EXPECT_EQ(loop_.resolver().next_timeout(), std::nullopt);
  loop_.resolver().stop();
  EXPECT_EQ(answers, 1U);
}

TEST_F(Resolving, HasNothingToDoWhenAllIsAnswered) {
  dns_.script("good.example", {.addresses = {"8.8.8.8"}});
  look_up("good.example");
  EXPECT_EQ(loop_.resolver().next_timeout(), std::nullopt);
  EXPECT_EQ(loop_.watched(), 0U);
}

TEST_F(Resolving, CanBeDestroyedWhileQuestionsAreOpen) {
  dns_.script("silent.example", {.manner = DnsReply::Manner::silent});
  std::size_t answers = 0;
  {
    ResolverLoop short_lived({dns_.server()}, clock_);
    short_lived.resolver().resolve("silent.example", 10s, [&](const Answered&) { ++answers; });
    ASSERT_TRUE(dns_.await_look_ups("silent.example", 1));
  }
  EXPECT_EQ(answers, 0U);
}

TEST_F(Resolving, TakesTheSearchListOfTheSystemForNoServerOfOurs) {
  dns_.script("bare", {.addresses = {"8.8.8.8"}});
  EXPECT_EQ(look_up("bare"), Texts{"8.8.8.8"});
}

TEST_F(Resolving, AsksTheNextServerWhenOneFails) {
  DnsServer broken;
  broken.script("good.example", {.manner = DnsReply::Manner::server_failure});
  dns_.script("good.example", {.addresses = {"8.8.8.8"}});
  ResolverLoop both({broken.server(), dns_.server()}, clock_);
  EXPECT_EQ(texts(both.look_up("good.example")), Texts{"8.8.8.8"});
}

TEST(Resolver, RefusesServersThatAreNone) {
  const auto open = [](const std::string& server) {
    return Resolver::open({server}, [](int, bool, bool) {}, system_clock());
  };
  for (const auto* server : {"127.0.0.1", "127.0.0.1:5353", "::1", "[::1]:5353"}) EXPECT_TRUE(open(server)) << server;
  for (const auto* server : {"", "localhost:53", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536", "[127.0.0.1]:53",
                             "::1:", "127.0.0.1:53,8.8.8.8", "[::1]"}) {
    const auto refused = open(server);
    ASSERT_FALSE(refused) << server;
    EXPECT_EQ(refused.error().code, Errc::config_invalid);
    EXPECT_NE(refused.error().message.find("`http.dns_servers`"), std::string::npos);
  }
}

TEST(Resolver, KnowsThisMachineWithoutAskingAnybody) {
  ResolverLoop loop({"127.0.0.1:1"});  // Nobody is there.
  const auto answered = loop.look_up("localhost");
  ASSERT_TRUE(answered) << answered.error().message;
  for (const Address& address : *answered) EXPECT_EQ(network_of(address), Network::enclosed);
}

}  // namespace
}  // namespace makegood::http
