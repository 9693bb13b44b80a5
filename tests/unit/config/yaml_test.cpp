#include <gtest/gtest.h>

#include "tests/unit/config/sources.hpp"

namespace makegood::config {
namespace {

TEST(YamlFile, AcceptsNestedAndDottedKeys) {
  EXPECT_EQ(load_yaml("tx:\n  outbox:\n    batch: 7\n").config.outbox.limits.batch_rows_max, 7U);
  EXPECT_EQ(load_yaml("tx.outbox.batch: 7\n").config.outbox.limits.batch_rows_max, 7U);
  EXPECT_EQ(load_yaml("tx.outbox: {batch: 7}\n").config.outbox.limits.batch_rows_max, 7U);
}

TEST(YamlFile, AcceptsListsInBothWritings) {
  EXPECT_EQ(load_yaml("store: {outboxes: [a, b]}\n").config.store.outboxes, (Lines{"a", "b"}));
  EXPECT_EQ(load_yaml("store:\n  outboxes: a, b\n").config.store.outboxes, (Lines{"a", "b"}));
}

TEST(YamlFile, IsFineWhenItSaysNothing) {
  EXPECT_EQ(mistakes_in(""), Lines{});
  EXPECT_EQ(mistakes_in("# nothing\n---\n"), Lines{});
  EXPECT_EQ(mistakes_in("tx:\n  outbox:\n#    batch: 1\n"), Lines{});
}

TEST(YamlFile, TellsLineAndColumnWhenItIsBroken) {
  EXPECT_EQ(mistakes_in("log:\n  level: info: more\n"), (Lines{"makegood.yaml:2:14: is not YAML: illegal map value"}));
}

TEST(YamlFile, IsWeighedBeforeItsAliasesAreWrittenOut) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 9; ++j) bomb += alias + ", ";
    bomb += alias + "]\n";
  }
  const Lines told = mistakes_in(bomb);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_NE(told[0].find("is too large: with its aliases written out"), std::string::npos) << told[0];
  EXPECT_EQ(mistakes_in("store: &a\n  outboxes: [*a]\n"),
            (Lines{"makegood.yaml:2: is an alias of what it stands in; write it out"}));
  EXPECT_EQ(mistakes_in(std::string(100, '[') + std::string(100, ']')),
            (Lines{"makegood.yaml:1: is nested deeper than 64 levels; write it flatter"}));
}

TEST(YamlFile, MayHaveAliasesThatSaveWriting) {
  EXPECT_EQ(load_yaml("store: {outboxes: &names [a, b]}\ncleaner.outboxes: *names\n").config.cleaner.outboxes,
            (Lines{"a", "b"}));
}

TEST(YamlFile, RefusesTheSameKeyTwiceInWhateverWriting) {
  EXPECT_EQ(mistakes_in("tx.outbox.batch: 1\ntx:\n  outbox:\n    batch: 2\n"),
            (Lines{"makegood.yaml:4: tx.outbox.batch is there twice, first in line 1; keep one of them"}));
  EXPECT_EQ(mistakes_in("log:\n  level: info\nlog:\n  format: json\n"),
            (Lines{"makegood.yaml:3: log is there twice; keep one of them"}));
}

TEST(YamlFile, TellsSectionsFromValues) {
  EXPECT_EQ(mistakes_in("log: info\n"),
            (Lines{"makegood.yaml:1: log is a section, not a value; put its keys below it"}));
  EXPECT_EQ(mistakes_in("log:\n  level:\n"),
            (Lines{"makegood.yaml:2: log.level has no value; allowed: debug, info, warn, error or critical"}));
  EXPECT_EQ(mistakes_in("tx.outbox.batch: [1, 2]\n"),
            (Lines{"makegood.yaml:1: tx.outbox.batch '[1, 2]' is not a whole number; allowed: 1 to 10000"}));
}

TEST(YamlFile, RefusesWhatIsNotAMapOfKeys) {
  EXPECT_EQ(mistakes_in("- a\n"), (Lines{"makegood.yaml:1: is not a map of keys; write key: value"}));
  EXPECT_EQ(mistakes_in("? [a]\n: 1\n"), (Lines{"makegood.yaml:1: is not a key; use a name"}));
  EXPECT_EQ(mistakes_in("log.level: info\n---\nlog.level: debug\n"),
            (Lines{"makegood.yaml:3: has a second document; keep one"}));
}

TEST(YamlFile, SurvivesHostileNesting) {
  EXPECT_EQ(mistakes_in("a: " + std::string(100'000, '[')).size(), 1U);
  EXPECT_EQ(mistakes_in("a: " + std::string(100'000, '{')).size(), 1U);
}

TEST(YamlFile, HasALimitOfSize) {
  EXPECT_EQ(mistakes_in("#" + std::string(1U << 20U, 'x')),
            (Lines{"makegood.yaml: is larger than 1 MiB; name another file"}));
}

TEST(YamlFile, SaysWhyItCannotBeRead) {
  const TemporaryFolder folder;
  EXPECT_EQ(lines_of(load({.file = folder.path("no.yaml")}).findings.mistakes),
            (Lines{"no.yaml: cannot be read: No such file or directory; name another file"}));
  EXPECT_EQ(load({.file = folder.path("")}).findings.mistakes.at(0).problem, "is a folder");
}

TEST(YamlFile, FindsSchemasBesideItself) {
  const TemporaryFolder folder;
  folder.write("order.json", R"({"type":"object"})");
  const Loaded loaded =
      load({.file = folder.write("a.yaml", "tx:\n  outbox:\n    schemas:\n      order.*: order.json\n")});
  EXPECT_EQ(lines_of(loaded.findings.mistakes), Lines{});
  ASSERT_EQ(loaded.config.outbox.schemas.size(), 1U);
  EXPECT_EQ(loaded.config.outbox.schemas[0].pattern, "order.*");
  EXPECT_EQ(loaded.config.outbox.schemas[0].file, folder.path("order.json"));
}

}  // namespace
}  // namespace makegood::config
