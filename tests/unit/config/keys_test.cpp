#include "config/keys.hpp"

#include <gtest/gtest.h>

#include <set>

#include "config/value.hpp"

namespace makegood::config {
namespace {

TEST(Keys, HaveDifferentNamesVariablesAndPlaces) {
  Config config;
  std::set<std::string> names;
  std::set<Slot> slots;
  for (const Key& key : keys()) {
    EXPECT_TRUE(names.insert(std::string(key.name)).second) << key.name;
    EXPECT_TRUE(names.insert(variable_of(key)).second) << key.name;
    EXPECT_TRUE(key.alias.empty() || names.insert(std::string(key.alias)).second) << key.alias;
    EXPECT_TRUE(slots.insert(key.slot(config)).second) << key.name;
    EXPECT_FALSE(key.description.empty()) << key.name;
  }
}

TEST(Keys, AcceptTheirOwnDefaults) {
  for (const Key& key : keys()) {
    Config config;
    const std::string text = text_of(key, config);
    EXPECT_EQ(assign(key, config, text), Complaint{}) << key.name << " = " << text;
    EXPECT_EQ(text_of(key, config), text) << key.name;
  }
}

TEST(Keys, HaveTheDefaultsOfThePublicStructs) {
  const auto text = [](std::string_view name) { return text_of(*find_key(name), Config{}); };
  EXPECT_EQ(text("tx.outbox.lease_ms"), "10000");
  EXPECT_EQ(text("tx.outbox.batch"), "500");
  EXPECT_EQ(text("tx.outbox.window"), "2000");
  EXPECT_EQ(text("tx.outbox.max_attempts"), "12");
  EXPECT_EQ(text("tx.outbox.backoff.base_ms"), "500");
  EXPECT_EQ(text("tx.outbox.backoff.factor"), "2");
  EXPECT_EQ(text("tx.outbox.backoff.jitter"), "0.3");
  EXPECT_EQ(text("tx.outbox.backoff.cap_ms"), "300000");
  EXPECT_EQ(text("tx.outbox.circuit.failures_max"), "10");
  EXPECT_EQ(text("tx.outbox.circuit.wait_max_ms"), "60000");
  EXPECT_EQ(text("tx.outbox.parked_max"), "10000");
  EXPECT_EQ(text("tx.outbox.crowded_after_ms"), "250");
  EXPECT_EQ(text("cleaner.retention"), "168h");
  EXPECT_EQ(text("cleaner.dead_retention"), "0");
}

TEST(Keys, KnowTheirSections) {
  EXPECT_TRUE(is_section("tx"));
  EXPECT_TRUE(is_section("tx.outbox"));
  EXPECT_FALSE(is_section("tx.out"));
  EXPECT_FALSE(is_section("tx.outbox.batch"));
}

TEST(Keys, NameTheirVariables) {
  EXPECT_EQ(variable_of(*find_key("tx.outbox.lease_ms")), "MAKEGOOD_TX_OUTBOX_LEASE_MS");
}

}  // namespace
}  // namespace makegood::config
