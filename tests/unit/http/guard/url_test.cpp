#include <gtest/gtest.h>

#include <random>
#include <string>

#include "transports/http/url.hpp"

namespace makegood::http {
namespace {

std::string mistake_in(const std::string& text) {
  const Result<Url> url = parse_url(text);
  return url ? "accepted as " + url->text : url.error().message;
}

TEST(Url, HasHostPortAndSchemeOfWhatIsSentTo) {
  const Result<Url> url = parse_url("https://Hooks.Example:8443/a?b=c#d");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->text, "https://hooks.example:8443/a?b=c");
  EXPECT_EQ(url->host, "hooks.example");
  EXPECT_EQ(url->port, 8443);
  EXPECT_TRUE(url->is_https);
}

TEST(Url, HasTheUsualPortOfItsScheme) {
  EXPECT_EQ(parse_url("http://hooks.example/")->port, 80);
  EXPECT_EQ(parse_url("https://hooks.example/")->port, 443);
  EXPECT_FALSE(parse_url("http://hooks.example/")->is_https);
}

TEST(Url, HasAnIpv6HostWithoutBracketsInItsShortestForm) {
  const Result<Url> url = parse_url("http://[2606:4700:0000::0:1111]:8080/");
  ASSERT_TRUE(url);
  EXPECT_EQ(url->host, "2606:4700::1111");
  EXPECT_EQ(url->text, "http://[2606:4700::1111]:8080/");
}

TEST(Url, IsShownWithoutItsQuery) {
  EXPECT_EQ(shown(*parse_url("https://hooks.example/a?token=secret#x")), "https://hooks.example/a");
  EXPECT_EQ(shown(*parse_url("https://hooks.example?token=secret")), "https://hooks.example/");
}

TEST(Url, SaysWhatIsWrongInOneSentence) {
  EXPECT_EQ(mistake_in("ftp://hooks.example/"), "The URL does not begin with http:// or https:// and a host.");
  EXPECT_EQ(mistake_in("http://user@hooks.example/"),
            "The URL has a user or password in it: put credentials into `secret_headers`.");
  EXPECT_EQ(mistake_in("http://bücher.example/"),
            "The URL has characters that are not ASCII: write its host in the xn-- form and the rest with %.");
  EXPECT_EQ(mistake_in("http://hooks.example/a b"),
            "The URL has a space or a control character in it: write it with %.");
  EXPECT_EQ(mistake_in("http://hooks.example:0/"), "The URL's port is not one: it is between 1 and 65535.");
  EXPECT_EQ(mistake_in("http://[fe80::1%25eth0]/"), "The URL's host has a zone, which means nothing elsewhere.");
  EXPECT_EQ(mistake_in("http://300.1.1.1/"), "The URL's host looks like an IPv4 address, but is not written as one.");
}

TEST(Url, NeverRepeatsAQueryInItsError) {
  for (const std::string broken : {"http://a b/?q=SECRET", "http://[::1/?q=SECRET", "http://h:99999/?q=SECRET",
                                   "ftp://h/?q=SECRET", "http://u:SECRET@h/", "http://h/?q=SECRET\x01", "SECRET"}) {
    EXPECT_EQ(mistake_in(broken).find("SECRET"), std::string::npos) << broken;
    EXPECT_FALSE(parse_url(broken)) << broken;
  }
}

TEST(Url, IsNotLongerThanServersRead) {
  EXPECT_TRUE(parse_url("http://hooks.example/" + std::string(8000, 'a')));
  EXPECT_EQ(mistake_in("http://hooks.example/" + std::string(8192, 'a')), "The URL is longer than 8192 bytes.");
}

TEST(Url, HasAHostOfLabelsThatNameServersKnow) {
  const std::string label(63, 'a');
  EXPECT_TRUE(parse_url("http://" + label + ".example/"));
  EXPECT_FALSE(parse_url("http://" + label + "a.example/"));
  EXPECT_TRUE(parse_url("http://" + label + "." + label + "." + label + "." + label.substr(0, 61) + "/"));
  EXPECT_FALSE(parse_url("http://" + label + "." + label + "." + label + "." + label.substr(0, 62) + "/"));
}

/// Bytes that are likely to hurt, between whole pieces of URLs.
std::string random_text(std::mt19937_64& random) {
  static const std::vector<std::string> pieces = {
      "http://", "https://", "HTTP://", "ht",  "://",  "//",   "/",
      "\\",      "@",        ":",       "#",   "?",    "%",    "%2e",
      "%00",     "%25",      "%5b",     "[",   "]",    "::1",  "::",
      ".",       "..",       "a",       "Z",   "0",    "1",    "0x",
      "127",     "255",      "256.",    "010", "fe80", "xn--", "localhost",
      "80",      "65535",    "-",       "_",   "~",    " ",    "\t",
      ",",       ";",        "&",       "=",   "\xc3", "\xa9", "\xe3\x80\x82",
      "|"};
  std::string text = random() % 4 == 0 ? "" : "http://";
  for (std::size_t count = random() % 12; count > 0; --count) {
    if (random() % 5 == 0)
      text += static_cast<char>(random() % 256);
    else
      text += pieces[random() % pieces.size()];
  }
  return text;
}

void expect_same_again(const std::string& text, const Url& url) {
  const Result<Url> again = parse_url(url.text);
  ASSERT_TRUE(again) << testing::PrintToString(text) << ": " << again.error().message;
  EXPECT_EQ(again->text, url.text) << testing::PrintToString(text);
  EXPECT_EQ(again->host, url.host) << testing::PrintToString(text);
  EXPECT_EQ(again->port, url.port) << testing::PrintToString(text);
  EXPECT_EQ(again->is_https, url.is_https) << testing::PrintToString(text);
}

TEST(Url, OnceAcceptedIsAcceptedAgainAsTheSame) {
  std::size_t accepted = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    std::mt19937_64 random(seed);
    for (int round = 0; round < 5000; ++round) {
      const std::string text = random_text(random);
      const Result<Url> url = parse_url(text);
      if (!url) continue;
      ++accepted;
      expect_same_again(text, *url);
    }
  }
  EXPECT_GT(accepted, 1000U) << "too few to prove anything";
}

}  // namespace
}  // namespace makegood::http
