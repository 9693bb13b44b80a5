#include "transports/http/request.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/unit/http/request/a_delivery.hpp"

namespace makegood::http {
namespace {

using testing_support::FakeClock;

class RequestTest : public testing::Test {
 protected:
  Result<Request> request_for(const SentMessage& sent, const HttpSettings& settings) {
    return make_request(sent.delivery, *target_of(settings), secrets_, clock_.now());
  }
  Error refusal_of(const MessageTexts& texts, const HttpSettings& settings = {.url = "https://a.example/"}) {
    const SentMessage sent(texts);
    const auto request = request_for(sent, settings);
    return request ? Error{.code = Errc::internal, .message = "not refused"} : request.error();
  }

  FakeClock clock_;
  Secrets secrets_{clock_};
};

TEST_F(RequestTest, SaysWhatTheMessageIsAndCarriesItsBytes) {
  const SentMessage sent({.tenant_id = "acme", .topic = "order.created", .content = "{ \"a\" : 1 }"});
  const auto request = request_for(sent, {.url = "https://a.example/in"});
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->url->text, "https://a.example/in");
  EXPECT_EQ(request->body, "{ \"a\" : 1 }");
  EXPECT_EQ(request->body.data(), sent.delivery.message->content.data()) << "not copied";
  EXPECT_EQ(headers_of(request), (std::map<std::string, std::string>{
                                     {"user-agent", "makegood/" MAKEGOOD_VERSION},
                                     {"content-type", "application/json"},
                                     {"ce-specversion", "1.0"},
                                     {"ce-id", "event-1"},
                                     {"ce-source", "/makegood/shop_outbox/acme"},
                                     {"ce-type", "order.created"},
                                     {"ce-time", "2024-02-29T01:02:03.045Z"},
                                     {"ce-tenant", "acme"},
                                     {"ce-sequence", "0000000000000000042"},
                                     {"makegood-outbox", "shop_outbox"},
                                     {"makegood-tenant", "acme"},
                                     {"makegood-topic", "order.created"},
                                     {"makegood-sequence", "42"},
                                     {"makegood-incarnation", "7f3a"},
                                     {"makegood-attempt", "3"},
                                     {"idempotency-key", "event-1"},
                                     {"webhook-id", "event-1"},
                                     {"webhook-timestamp", "1715936400"},
                                 }));
}

TEST_F(RequestTest, CarriesTheEnvelopesIdInBothModes) {
  const SentMessage sent({.envelope_id = "env 7"});
  for (const auto format : {HttpSettings::Format::binary, HttpSettings::Format::structured}) {
    const auto request = request_for(sent, {.url = "https://a.example/", .format = format});
    EXPECT_EQ(headers_of(request)["makegood-envelope-id"], "env%207");
  }
}

TEST_F(RequestTest, IsOneEventInTheStructuredMode) {
  const SentMessage sent({.content = "[1]"});
  auto made = request_for(sent, {.url = "https://a.example/", .format = HttpSettings::Format::structured});
  ASSERT_TRUE(made);
  const Request request = *std::move(made);
  EXPECT_EQ(request.body, request.structured);
  EXPECT_TRUE(request.body.ends_with(R"("data":[1]})"));
  const auto headers = headers_of(request);
  EXPECT_EQ(headers.at("content-type"), "application/cloudevents+json");
  EXPECT_FALSE(headers.contains("ce-id"));
  EXPECT_EQ(headers.at("makegood-tenant"), "default");
}

TEST_F(RequestTest, IsSignedWithEveryKeyOverTheBytesThatAreSent) {
  ::setenv("MAKEGOOD_TEST_NEW_KEY", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", 1);
  ::setenv("MAKEGOOD_TEST_OLD_KEY", "whsk_ERERERERERERERERERERERERERERERERERERERERERE=", 1);
  for (const auto format : {HttpSettings::Format::binary, HttpSettings::Format::structured}) {
    const SentMessage sent({.event_id = "a.b"});
    const auto request = request_for(sent, {.url = "https://a.example/",
                                            .signing_keys = {"env:MAKEGOOD_TEST_NEW_KEY", "env:MAKEGOOD_TEST_OLD_KEY"},
                                            .format = format});
    ASSERT_TRUE(request) << request.error().message;
    std::string expected;
    ASSERT_TRUE(
        (*secrets_.signing_key("env:MAKEGOOD_TEST_NEW_KEY", {}))->sign("a%2Eb", 1715936400, request->body, expected));
    expected += ' ';
    ASSERT_TRUE(
        (*secrets_.signing_key("env:MAKEGOOD_TEST_OLD_KEY", {}))->sign("a%2Eb", 1715936400, request->body, expected));
    EXPECT_EQ(headers_of(request).at("webhook-signature"), expected);
    EXPECT_EQ(headers_of(request).at("webhook-id"), "a%2Eb");
  }
}

TEST_F(RequestTest, HasTheDestinationsHeadersAndItsSecrets) {
  ::setenv("MAKEGOOD_TEST_TOKEN", "Bearer abc", 1);
  const SentMessage sent({});
  const auto headers =
      headers_of(request_for(sent, {.url = "https://a.example/",
                                    .headers = {{"X-Team", " billing "}},
                                    .secret_headers = {{"Authorization", "env:MAKEGOOD_TEST_TOKEN"}}}));
  EXPECT_EQ(headers.at("x-team"), "billing");
  EXPECT_EQ(headers.at("authorization"), "Bearer abc");
}

TEST_F(RequestTest, HasTheMessagesHeadersButTheDestinationsCountMore) {
  ::setenv("MAKEGOOD_TEST_TOKEN", "Bearer abc", 1);
  const SentMessage sent(
      {.headers = R"({"X-Own":" a ","x-team":"evil","AUTHORIZATION":"evil","user-agent":"evil","X-E":""})"});
  const auto headers =
      headers_of(request_for(sent, {.url = "https://a.example/",
                                    .headers = {{"X-Team", "billing"}},
                                    .secret_headers = {{"Authorization", "env:MAKEGOOD_TEST_TOKEN"}}}));
  EXPECT_EQ(headers.at("x-own"), "a");
  EXPECT_EQ(headers.at("x-team"), "billing");
  EXPECT_EQ(headers.at("authorization"), "Bearer abc");
  EXPECT_EQ(headers.at("user-agent"), "makegood/" MAKEGOOD_VERSION);
  EXPECT_FALSE(headers.contains("x-e")) << "what has no value is left out";
}

TEST_F(RequestTest, PassesTheTraceOn) {
  const std::string parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  const SentMessage sent({.traceparent = parent, .tracestate = "a=b"});
  const auto headers = headers_of(request_for(sent, {.url = "https://a.example/"}));
  EXPECT_EQ(headers.at("traceparent"), parent);
  EXPECT_EQ(headers.at("tracestate"), "a=b");
  EXPECT_EQ(headers.at("ce-traceparent"), parent);
}

TEST_F(RequestTest, FailsForGoodWithHeadersThatCannotBeSent) {
  for (const std::string headers :
       {R"({"Host":"a"})", R"({"X-A":"a\r\nEvil: 1"})", R"({"X A":"a"})", R"({"X-A":"\u0000"})", R"({"X-A":"é"})",
        R"({"X-A":1})", R"({"webhook-signature":"v1,forged"})", R"({"Transfer-Encoding":"chunked"})", "[]", "{",
        R"({"content-type":"text/html"})", R"({"":"a"})"}) {
    const Error error = refusal_of({.headers = headers});
    EXPECT_EQ(error.code, Errc::invalid) << headers << ": " << error.message;
    EXPECT_FALSE(is_retryable(error.code));
    EXPECT_TRUE(error.message.ends_with('.')) << error.message;
  }
}

TEST_F(RequestTest, FailsForGoodWithTooManyOrTooLargeHeaders) {
  std::string many;
  for (int count = 0; count < 51; ++count)
    many += (many.empty() ? "{" : ",") + ("\"x" + std::to_string(count)) + "\":\"a\"";
  EXPECT_EQ(refusal_of({.headers = many + "}"}).message, "The message has 51 headers; allowed: 50.");
  const std::string large = '"' + std::string(4000, 'a') + '"';
  EXPECT_EQ(refusal_of({.headers = R"({"a":)" + large + R"(,"b":)" + large + R"(,"c":)" + large + "}"}).message,
            "The message's headers have 12003 bytes; allowed: 8192.");
}

TEST_F(RequestTest, FailsForGoodWithAContentTypeThatIsNone) {
  EXPECT_EQ(refusal_of({.content_type = "text/plain\r\nEvil: 1"}).code, Errc::invalid);
  EXPECT_EQ(refusal_of({.content_type = ""}).code, Errc::invalid);
  EXPECT_EQ(refusal_of({.event_id = ""}).message, "The message has no event id.");
}

TEST_F(RequestTest, CannotBeSplitByAnythingInTheMessage) {
  const std::string evil = "a\r\nEvil: 1\n";
  const SentMessage sent({.event_id = evil,
                          .tenant_id = evil,
                          .topic = evil,
                          .dispatch_key = evil,
                          .traceparent = evil,
                          .tracestate = evil});
  auto request = request_for(sent, {.url = "https://a.example/"});
  ASSERT_TRUE(request) << request.error().message;
  request->headers.for_each([](const std::string& header) {
    EXPECT_EQ(header.find_first_of("\r\n"), std::string::npos) << header;
    EXPECT_NE(header.find(": "), std::string::npos) << "a zero would have cut it: " << header;
  });
  EXPECT_FALSE(headers_of(request).contains("evil"));
}

TEST_F(RequestTest, WaitsForAnOperatorWhenASecretCannotBeUsedAndNeverTellsIt) {
  const Error missing =
      refusal_of({}, {.url = "https://a.example/", .secret_headers = {{"Authorization", "env:MAKEGOOD_TEST_NONE"}}});
  EXPECT_EQ(missing.code, Errc::config_invalid) << missing.message;
  ::setenv("MAKEGOOD_TEST_BAD", "TopSecret\nEvil: 1", 1);
  for (const HttpSettings& settings :
       {HttpSettings{.url = "https://a.example/", .secret_headers = {{"Authorization", "env:MAKEGOOD_TEST_BAD"}}},
        HttpSettings{.url = "https://a.example/", .signing_keys = {"env:MAKEGOOD_TEST_BAD"}}}) {
    const Error bad = refusal_of({}, settings);
    EXPECT_EQ(bad.code, Errc::config_invalid) << bad.message;
    EXPECT_EQ((bad.message + bad.diagnostics).find("TopSecret"), std::string::npos);
    EXPECT_NE(bad.message.find("env:MAKEGOOD_TEST_BAD"), std::string::npos) << "it says which one";
  }
}

TEST_F(RequestTest, OfARawTopicGoesWhereTheTopicSays) {
  const SentMessage sent({.topic = "http:https://a.example/in/7"});
  const auto request = request_for(sent, {.raw_prefixes = {"https://a.example/in"}});
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->url->text, "https://a.example/in/7");
  EXPECT_EQ(refusal_of({.topic = "http:https://b.example/"}, {.raw_prefixes = {"https://a.example/in"}}).code,
            Errc::invalid);
}

}  // namespace
}  // namespace makegood::http
