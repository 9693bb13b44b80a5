// What a server says, whole or in pieces, and what no server says.
#include <gtest/gtest.h>

#include "transports/amqp/wire.hpp"
#include "transports/redis/resp.hpp"

namespace makegood {
namespace {

TEST(Resp, ReadsAValueOnceItIsWhole) {
  const std::string_view whole = "*2\r\n:1\r\n$3\r\nabc\r\n";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto part = redis::parse_value(whole.substr(0, size));
    ASSERT_TRUE(part) << size;
    EXPECT_FALSE(part->has_value()) << size;
  }
  const auto parsed = redis::parse_value(whole);
  ASSERT_TRUE(parsed && parsed->has_value());
  EXPECT_EQ((*parsed)->bytes, whole.size());
  EXPECT_EQ((*parsed)->value.items.at(0).number, 1);
  EXPECT_EQ((*parsed)->value.items.at(1).text, "abc");
}

TEST(Resp, RefusesWhatIsNone) {
  for (const std::string_view bytes : {"HTTP/1.1 400\r\n", "\r\n", "$x\r\n", "*-5\r\n", "$99999999999\r\n",
                                       "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n"}) {
    EXPECT_FALSE(redis::parse_value(bytes)) << bytes;
  }
}

TEST(AmqpWire, ReadsAFrameOnceItIsWhole) {
  std::string whole;
  amqp::FrameWriter(whole, amqp::FrameKind::method, 7).number32(amqp::method_id(60, 80)).number64(9).octet(1);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto part = amqp::parse_frame(std::string_view(whole).substr(0, size), 4096);
    ASSERT_TRUE(part) << size;
    EXPECT_FALSE(part->has_value()) << size;
  }
  const auto frame = amqp::parse_frame(whole, 4096);
  ASSERT_TRUE(frame && frame->has_value());
  EXPECT_EQ((*frame)->channel, 7);
  amqp::FieldReader fields((*frame)->payload);
  EXPECT_EQ(fields.number32(), amqp::method_id(60, 80));
  EXPECT_EQ(fields.number64(), 9U);
  EXPECT_EQ(fields.octet(), 1);
  EXPECT_TRUE(fields.is_sound());
  EXPECT_EQ(fields.number64(), 0U);
  EXPECT_FALSE(fields.is_sound());
}

TEST(AmqpWire, RefusesWhatIsNoFrame) {
  std::string whole;
  amqp::FrameWriter(whole, amqp::FrameKind::method, 0).raw(std::string(5000, 'x'));
  EXPECT_FALSE(amqp::parse_frame(whole, 4096)) << "larger than was agreed";
  EXPECT_FALSE(amqp::parse_frame("HTTP/1.1 400", 4096));
  whole.back() = 'x';
  EXPECT_FALSE(amqp::parse_frame(whole, 131072)) << "without its end";
}

TEST(AmqpWire, FindsOurNumberInATable) {
  amqp::Table table;
  table.text("a", "b").number("ours", 42).text("c", "d");
  EXPECT_EQ(amqp::number_in_table(table.bytes(), "ours"), 42U);
  EXPECT_EQ(amqp::number_in_table(table.bytes(), "a"), std::nullopt);
  EXPECT_EQ(amqp::number_in_table(std::string_view(table.bytes()).substr(0, 9), "ours"), std::nullopt);
}

}  // namespace
}  // namespace makegood
