#include <gtest/gtest.h>

#include "makegood/http.hpp"

namespace makegood {
namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

HttpSettings everything() {
  return {.url = "https://hooks.example.com/orders",
          .raw_prefixes = {},
          .headers = {{"X-Team", "billing"}},
          .secret_headers = {{"Authorization", "file:/run/secrets/token"}},
          .signing_keys = {"env:NEW_KEY", "env:OLD_KEY"},
          .format = HttpSettings::Format::structured,
          .version = HttpSettings::Version::http2,
          .ca_file = "/etc/ca.pem",
          .client_certificate = "/etc/client.pem",
          .client_key = "file:/run/secrets/client.key",
          .answers = {{"404", "retry"}}};
}

TEST(HttpSettings, ComeBackFromJsonAsTheyWere) {
  const auto decoded = decode_http_settings(encode(everything()));
  ASSERT_TRUE(decoded) << decoded.error().message;
  EXPECT_EQ(encode(*decoded), encode(everything()));
  EXPECT_EQ(decoded->signing_keys, everything().signing_keys);
  EXPECT_EQ(decoded->secret_headers, everything().secret_headers);
  EXPECT_EQ(decoded->format, HttpSettings::Format::structured);
  EXPECT_EQ(decoded->version, HttpSettings::Version::http2);
  EXPECT_EQ(decoded->client_key, "file:/run/secrets/client.key");
}

TEST(HttpSettings, LeaveOutWhatIsUsual) {
  EXPECT_EQ(encode({.url = "https://a.example/"}), R"({"url":"https://a.example/"})");
  const auto decoded = decode_http_settings(R"({"url":"https://a.example/"})");
  ASSERT_TRUE(decoded);
  EXPECT_EQ(decoded->format, HttpSettings::Format::binary);
}

TEST(HttpSettings, TellEveryMistakeInTheirJsonAtOnce) {
  const auto decoded = decode_http_settings(
      R"({"uri": "x", "url": 7, "headers": {"a": 1}, "signing_keys": "env:A", "format": "xml", "version": null})");
  ASSERT_FALSE(decoded);
  EXPECT_EQ(decoded.error().code, Errc::config_invalid);
  const std::string& message = decoded.error().message;
  EXPECT_TRUE(has(message, "6 mistakes")) << message;
  EXPECT_TRUE(has(message, "uri is not a setting; allowed: url, raw_prefixes, headers")) << message;
  EXPECT_TRUE(has(message, "url is not a text")) << message;
  EXPECT_TRUE(has(message, "headers is not an object of texts")) << message;
  EXPECT_TRUE(has(message, "signing_keys is not a list of texts")) << message;
  EXPECT_TRUE(has(message, "format is 'xml'; allowed: binary, structured")) << message;
}

TEST(HttpSettings, AreAnObject) {
  for (const std::string_view text : {"", "[]", "{", "null", "{} {}"}) EXPECT_FALSE(decode_http_settings(text)) << text;
}

TEST(HttpDestination, HasItsNameAndItsSettings) {
  const auto destination = http_destination("billing", everything(), {.rate_max = 50});
  ASSERT_TRUE(destination) << destination.error().message;
  EXPECT_EQ(destination->name, "http:billing");
  EXPECT_EQ(destination->rate_max, 50);
  EXPECT_EQ(destination->settings, encode(everything()));
}

TEST(HttpDestination, HasNoCredentialsInPlainSight) {
  const auto refused =
      http_destination("a", {.url = "https://a.example/", .headers = {{"authorization", "Basic x9z"}}});
  ASSERT_FALSE(refused);
  EXPECT_TRUE(has(refused.error().message, "headers.authorization is a credential")) << refused.error().message;
  EXPECT_TRUE(has(refused.error().message, "it belongs in secret_headers")) << refused.error().message;
  EXPECT_FALSE(has(refused.error().message, "x9z"));
}

TEST(HttpDestination, IsRefusedWithEveryMistakeNamed) {
  const auto destination = http_destination("bad name", {.url = "ftp://files.example.com",
                                                         .headers = {{"Host", "a"}, {"X-A", "a\r\nb"}, {"X-B", " "}},
                                                         .secret_headers = {{"x-a", "env:A"}},
                                                         .signing_keys = {"whsec_TopSecret"},
                                                         .client_certificate = "relative.pem",
                                                         .answers = {{"404", "perhaps"}}});
  ASSERT_FALSE(destination);
  EXPECT_EQ(destination.error().code, Errc::config_invalid);
  const std::string& message = destination.error().message;
  for (const std::string_view part :
       {"name cannot be used", "url:", "headers.Host is set by Makegood", "headers.X-A has a value that cannot be sent",
        "headers.X-B is empty", "x-a is in headers and in secret_headers",
        "signing_keys[0] must say where the secret is", "client_certificate is not a file",
        "client_certificate and client_key", "answers:"}) {
    EXPECT_TRUE(has(message, part)) << part << " is not in: " << message;
  }
  EXPECT_FALSE(has(message, "TopSecret")) << message;
}

TEST(HttpDestination, NeedsAUrlOrPrefixesAndNotBoth) {
  EXPECT_FALSE(http_destination("a", {}));
  EXPECT_FALSE(http_destination("a", {.url = "https://a.example/", .raw_prefixes = {"https://b.example/"}}));
  EXPECT_TRUE(http_destination("a", {.raw_prefixes = {"https://b.example/"}}));
}

TEST(HttpDestination, OfATenantBringsNoFiles) {
  const auto destination =
      http_destination("a", {.url = "https://a.example/", .ca_file = "/etc/ca.pem"}, {.tenant_id = "acme"});
  ASSERT_FALSE(destination);
  EXPECT_TRUE(has(destination.error().message, "ca_file is for destinations of the operator only"));
}

TEST(HttpDestination, HasHeadersWithinBounds) {
  HttpSettings many{.url = "https://a.example/"};
  for (int count = 0; count < 51; ++count) many.headers["X-" + std::to_string(count)] = "a";
  EXPECT_FALSE(http_destination("a", many));
  HttpSettings large{.url = "https://a.example/"};
  for (const std::string name : {"X-A", "X-B", "X-C"}) large.headers[name] = std::string(4000, 'a');
  EXPECT_FALSE(http_destination("a", large));
  EXPECT_FALSE(http_destination("a", {.url = "https://a.example/", .headers = {{"X-A", "1"}, {"x-a", "2"}}}));
}

}  // namespace
}  // namespace makegood
