#include "server/request_reader.hpp"

#include <gtest/gtest.h>

namespace makegood::server {
namespace {

constexpr std::size_t header_max = 1024;
constexpr std::size_t body_max = 100;

/// 0: nothing is wrong with it.
int status_after(RequestReader& reader, std::string_view bytes) {
  std::size_t taken = reader.feed(bytes);
  taken += reader.feed(bytes.substr(taken));
  return reader.mistake() ? reader.mistake()->status : 0;
}

int status_of(std::string_view bytes) {
  RequestReader reader(header_max, body_max);
  return status_after(reader, bytes);
}

TEST(RequestReader, StopsAfterTheHeader) {
  RequestReader reader(header_max, body_max);
  constexpr std::string_view bytes = "POST /x?y=1 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabcGET /";
  const std::size_t taken = reader.feed(bytes);
  EXPECT_TRUE(reader.is_header_done());
  EXPECT_FALSE(reader.is_done());
  EXPECT_EQ(reader.method(), "POST");
  EXPECT_EQ(reader.target(), "/x?y=1");
  EXPECT_EQ(reader.header("host"), "h");
  EXPECT_EQ(bytes.substr(taken).substr(reader.feed(bytes.substr(taken))), "GET /");
  EXPECT_TRUE(reader.is_done());
  EXPECT_EQ(reader.take_body(), "abc");
}

TEST(RequestReader, WaitsForTheRestOfAHeader) {
  RequestReader reader(header_max, body_max);
  constexpr std::string_view bytes = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";
  const std::size_t taken = reader.feed(bytes.substr(0, 18));
  EXPECT_FALSE(reader.is_header_done());
  EXPECT_EQ(status_after(reader, bytes.substr(taken)), 0);
  EXPECT_TRUE(reader.is_done());
  EXPECT_EQ(reader.header("Host"), "h");
}

TEST(RequestReader, ReadsChunks) {
  RequestReader reader(header_max, body_max);
  constexpr std::string_view bytes =
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
  EXPECT_EQ(status_after(reader, bytes), 0);
  EXPECT_TRUE(reader.is_done());
  EXPECT_EQ(reader.take_body(), "abcde");
}

TEST(RequestReader, RefusesWhatIsTooLarge) {
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nA: " + std::string(2 * header_max, 'a')), 431);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 101\r\n\r\n"), 413);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n80\r\n" + std::string(128, 'a')),
            413);
}

TEST(RequestReader, CountsAHeaderThatComesLineByLine) {
  RequestReader reader(header_max, body_max);
  std::string unread = "GET / HTTP/1.1\r\n";
  for (int i = 0; i < 200 && !reader.mistake(); ++i) {
    unread.erase(0, reader.feed(unread));
    unread += "Name: value\r\nOther: value\r\nThird: value\r\n";
  }
  ASSERT_TRUE(reader.mistake());
  EXPECT_EQ(reader.mistake()->status, 431);
}

TEST(RequestReader, RefusesWhatCouldBeReadInTwoWays) {
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc"), 400);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n"), 400);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost : h\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET / HTTP/1.1\r\nHost: h\r\n X: folded\r\n\r\n"), 400);
}

TEST(RequestReader, KnowsNoCodingButChunkedAlone) {
  for (const char* lines :
       {"Transfer-Encoding: xchunked", "Transfer-Encoding: identity", "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked, chunked",
        "Transfer-Encoding:", "Transfer-Encoding: \"chunked\"", "Transfer-Encoding: chunked;q=1",
        "Transfer-Encoding:\r\n chunked", "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "Content-Length: 3\r\nTransfer-Encoding: identity",
        "Transfer-Encoding: identity\r\nContent-Length: 3"}) {
    EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: h\r\n" + std::string(lines) + "\r\n\r\n0\r\n\r\n"), 400) << lines;
  }
  EXPECT_EQ(status_of("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400);
  EXPECT_EQ(status_of("POST / HTTP/1.1\r\nHost: h\r\ntransfer-encoding: \tChunked \r\n\r\n0\r\n\r\n"), 0);
}

TEST(RequestReader, RefusesOtherProtocols) {
  EXPECT_EQ(status_of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), 505);
  EXPECT_EQ(status_of("\x16\x03\x01\x02\r\n\r\n"), 400);
  EXPECT_EQ(status_of("GET /\r\n\r\n"), 400);
}

}  // namespace
}  // namespace makegood::server
