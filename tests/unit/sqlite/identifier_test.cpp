#include "stores/sqlite/identifier.hpp"

#include <gtest/gtest.h>

namespace makegood::sqlite {

TEST(Identifier, TakesLettersDigitsAndUnderscores) {
  EXPECT_TRUE(Identifier::from("makegood_outbox"));
  EXPECT_TRUE(Identifier::from("_Orders2"));
  EXPECT_TRUE(Identifier::from(std::string(63, 'a')));
}

TEST(Identifier, RefusesEverythingElse) {
  for (const std::string name :
       {"", "2orders", "a-b", "a b", "a\"b", "a'b", "a;DROP TABLE x", "schema.a", "h\xC3\xA9"}) {
    EXPECT_FALSE(Identifier::from(name)) << name;
  }
  EXPECT_FALSE(Identifier::from(std::string(64, 'a')));
  EXPECT_FALSE(Identifier::from(std::string_view("a\0b", 3)));
}

TEST(Identifier, RefusesNamesThatSqliteKeepsForItself) {
  EXPECT_FALSE(Identifier::from("sqlite_sequence"));
  EXPECT_FALSE(Identifier::from("SQLite_x"));
}

TEST(Identifier, IsWrittenWhereverThePlaceholderStands) {
  EXPECT_EQ(Identifier::from("orders")->into("{outbox} and \"{outbox}_turn\"."), "orders and \"orders_turn\".");
}

}  // namespace makegood::sqlite
