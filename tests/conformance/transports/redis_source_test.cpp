// Taking in from a real Redis.
#include "makegood/brokers.hpp"
#include "tests/conformance/transports/redis_server.hpp"
#include "tests/conformance/transports/source_suite.hpp"
#include "tests/support/value_of.hpp"

namespace makegood::conformance {
namespace {

class RedisAsSource final : public SourceUnderTest {
 public:
  std::string scheme() const override { return "redis"; }
  void make(const std::string& place) override { RedisClient(server().process().port()).ask({"DEL", place}); }
  std::string settings(const std::string& place) const override {
    return encode(RedisSourceSettings{.access = {.servers = {server().url()}}, .stream = place, .group = "seen"});
  }
  std::unique_ptr<Transport> transport() const override { return value_of(new_redis_transport()); }
  DestinationPtr destination(const std::string& place) const override {
    const RedisSettings settings{.access = {.servers = {server().url()}}, .stream = place};
    return std::make_shared<const Destination>(value_of(redis_destination("source", settings)));
  }
  std::string place_beyond() const override { return "9000000000000-0"; }
  bool knows_what_is_missing() const override { return false; }
  void kill() override { server().process().kill(); }
  void start() override { server().process().start(); }

 private:
  static RedisServer& server() { return RedisServer::shared(); }
};

std::unique_ptr<SourceUnderTest> redis_as_source() {
  return RedisServer::can_be_had() ? std::make_unique<RedisAsSource>() : nullptr;
}

INSTANTIATE_TEST_SUITE_P(Redis, SourceSuite,
                         testing::Values(SourceEntry{"redis", redis_as_source, std::string(no_redis)}));

RedisClient client() { return RedisClient(RedisServer::shared().process().port()); }

TEST_P(SourceSuite, ARedisStreamThatWasTrimmedBeforeItWasReadIsToldOf) {
  publish(0, 5);
  const auto source = open();
  const auto arrivals = value_of(read(*source, 2));
  ASSERT_GE(arrivals.size(), 2U);
  client().ask({"XTRIM", place_, "MAXLEN", "1"});
  const auto again = open();
  const auto next = read(*again, 1, arrivals[1].next);
  ASSERT_FALSE(next);
  EXPECT_EQ(next.error().code, Errc::not_found);
}

TEST_P(SourceSuite, ARedisStreamThatWasTrimmedUpToWhatWasReadGoesOn) {
  publish(0, 5);
  const auto source = open();
  const auto arrivals = value_of(read(*source, 5));
  ASSERT_EQ(arrivals.size(), 5U);
  client().ask({"XTRIM", place_, "MAXLEN", "0"});
  publish(5, 2);
  EXPECT_EQ(events_of(value_of(read(*source, 2))), events(5, 2));
}

TEST_P(SourceSuite, ARedisGroupShowsHowFarItIs) {
  publish(0, 3);
  const auto source = open();
  const auto arrivals = value_of(read(*source, 3));
  ASSERT_EQ(arrivals.size(), 3U);
  source->acknowledge({{place_, arrivals[1].next}});
  const auto groups = client().ask({"XINFO", "GROUPS", place_});
  ASSERT_EQ(groups->elements, 1U);
  const redisReply& group = *groups->element[0];
  EXPECT_EQ(std::string(group.element[7]->str), arrivals[1].at) << "last-delivered-id";
}

TEST_P(SourceSuite, ARedisEntryOfSomebodyElseIsAnObjectOfItsFields) {
  client().ask({"XADD", place_, "*", "colour", "red", "size", "7"});
  const auto source = open();
  const auto arrivals = value_of(read(*source, 1));
  ASSERT_EQ(arrivals.size(), 1U);
  EXPECT_EQ(arrivals[0].value, R"({"colour":"red","size":"7"})");
}

TEST_P(SourceSuite, ARedisEntryThatIsTooLargeForALogIsADeadLetterAndTheOthersGoOn) {
  publish(0, 1);
  client().ask({"XADD", place_, "*", "data", std::string((std::size_t{64} << 20) + 1, 'x')});
  publish(1, 1);
  const auto reading = consumer();
  ASSERT_TRUE(news_.await(SourceNews::Kind::unreadable, 1));
  ASSERT_TRUE(news_.await(SourceNews::Kind::taken, 3));
  const auto all = taken_in();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0], "e0");
  EXPECT_EQ(all[2], "e1");
}

}  // namespace
}  // namespace makegood::conformance
