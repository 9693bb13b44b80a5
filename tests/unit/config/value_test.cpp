#include "config/value.hpp"

#include <gtest/gtest.h>

#include "makegood/telemetry.hpp"

namespace makegood::config {
namespace {

using namespace std::chrono_literals;

/// What assigning says, or the value that it left.
std::string outcome(std::string_view name, const Raw& raw, Writing writing = Writing::plain) {
  Config config;
  const Key& key = *find_key(name);
  const Complaint complaint = assign(key, config, raw, writing);
  return complaint ? *complaint : text_of(key, config);
}

TEST(Value, ReadsFlagsInEveryUsualWriting) {
  EXPECT_EQ(outcome("metrics.compat", "no"), "false");
  EXPECT_EQ(outcome("metrics.compat", "TRUE"), "true");
  EXPECT_EQ(outcome("metrics.compat", "maybe"), "is neither true nor false");
}

TEST(Value, HoldsNumbersToTheirRange) {
  EXPECT_EQ(outcome("tx.outbox.batch", "1"), "1");
  EXPECT_EQ(outcome("tx.outbox.batch", "10000"), "10000");
  EXPECT_EQ(outcome("tx.outbox.batch", "0"), "is out of range");
  EXPECT_EQ(outcome("tx.outbox.batch", "10001"), "is out of range");
  EXPECT_EQ(outcome("tx.outbox.batch", "-1"), "is out of range");
  EXPECT_EQ(outcome("tx.outbox.batch", "99999999999999999999"), "is not a whole number");
  EXPECT_EQ(outcome("tx.outbox.batch", "5.5"), "is not a whole number");
  EXPECT_EQ(outcome("tx.outbox.backoff.jitter", "1.01"), "is out of range");
  EXPECT_EQ(outcome("tx.outbox.backoff.jitter", "nan"), "is not a number");
}

TEST(Value, ReadsMillisecondsAsANumberOrWithAUnit) {
  EXPECT_EQ(outcome("tx.outbox.lease_ms", "15000"), "15000");
  EXPECT_EQ(outcome("tx.outbox.lease_ms", "15s"), "15000");
  EXPECT_EQ(outcome("tx.outbox.lease_ms", "soon"), "is not a number of milliseconds");
  EXPECT_EQ(outcome("tx.outbox.lease_ms", "9223372036854775807"), "is out of range");
  EXPECT_EQ(outcome("tx.outbox.poll_ms", "1500us"), "is not a whole number of milliseconds");
}

TEST(Value, WantsAUnitWhereTheFamilyOfNamesHasOne) {
  EXPECT_EQ(outcome("tx.outbox.lease_ms", "60s", Writing::with_unit), "60000");
  EXPECT_EQ(outcome("tx.outbox.lease_ms", "60000", Writing::with_unit), "is not a duration");
  EXPECT_EQ(outcome("cleaner.interval", "60"), "is not a duration");
}

TEST(Value, ReadsListsFromTextAndFromItems) {
  EXPECT_EQ(outcome("store.outboxes", "a_outbox, public.b_outbox"), "a_outbox,public.b_outbox");
  EXPECT_EQ(outcome("store.outboxes", std::vector<std::string>{"a_outbox"}), "a_outbox");
  EXPECT_EQ(outcome("store.outboxes", "a,a"), "has 'a' twice");
  EXPECT_EQ(outcome("store.outboxes", "a b"), "has 'a b', which is not a table name");
  EXPECT_EQ(outcome("store.outboxes", "x.y.z"), "has 'x.y.z', which is not a table name");
  EXPECT_EQ(outcome("tx.outbox.schedule_ms", "100,5s"), "100,5000");
  EXPECT_EQ(outcome("tx.outbox.schedule_ms", "100,x"), "has 'x', which is not a number of milliseconds");
}

TEST(Value, RefusesAListWhereOneValueIsMeant) {
  EXPECT_EQ(outcome("tx.outbox.batch", std::vector<std::string>{"1", "2"}), "is not a whole number");
  EXPECT_EQ(outcome("store.outboxes", std::vector<SchemaFile>{{"a", "b"}}), "is not a list");
}

TEST(Value, ChoosesAmongTheKnownTexts) {
  EXPECT_EQ(outcome("tx.outbox.ordering", "block_on_dead"), "block_on_dead");
  EXPECT_EQ(outcome("tx.outbox.ordering", "Block"), "is not one of the choices");
  EXPECT_EQ(allowed(*find_key("tx.outbox.ordering")), "block, skip or block_on_dead");
}

TEST(Value, HasATextForEveryChoice) {
  for (const LogLevel level :
       {LogLevel::debug, LogLevel::info, LogLevel::warning, LogLevel::error, LogLevel::critical}) {
    EXPECT_EQ(outcome("log.level", std::string(to_string(level))), to_string(level));
  }
}

TEST(Value, SaysWhatIsAllowedInTheUnitOfTheKey) {
  EXPECT_EQ(allowed(*find_key("tx.outbox.batch")), "1 to 10000");
  EXPECT_EQ(allowed(*find_key("tx.outbox.batch_bytes_max")), "64KiB to 256MiB, in bytes or with KiB, MiB or GiB");
  EXPECT_EQ(allowed(*find_key("cleaner.interval")), "1s to 24h, written as in 30s, 5m or 168h");
}

TEST(Value, NeverShowsASecret) {
  Config config;
  config.store.url = "postgres://ann:secret@db/x";
  const Key& key = *find_key("store.url");
  EXPECT_EQ(shown(key, config), "postgres://***@db/x");
  EXPECT_EQ(shown(key, Raw{config.store.url}), "postgres://***@db/x");
}

}  // namespace
}  // namespace makegood::config
