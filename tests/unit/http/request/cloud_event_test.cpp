#include "transports/http/cloud_event.hpp"

#include <gtest/gtest.h>
#include <rapidjson/document.h>

#include "base/trace_context.hpp"
#include "tests/unit/http/request/a_delivery.hpp"
#include "transports/net/event_attributes.hpp"

namespace makegood::http {
namespace {

constexpr std::string_view trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

std::vector<std::string> event_headers_of(const MessageTexts& texts) {
  const SentMessage sent(texts);
  HeaderLines headers;
  append_event_headers(sent.delivery, headers);
  std::vector<std::string> lines;
  headers.for_each([&](const char* line) { lines.emplace_back(line); });
  return lines;
}

std::string event_of(const MessageTexts& texts, bool is_json = true) {
  const SentMessage sent(texts, 42, is_json);
  const auto event = structured_event(sent.delivery);
  return event ? *event : "error: " + event.error().message;
}

TEST(CloudEvent, HasItsAttributesInHeaders) {
  EXPECT_EQ(event_headers_of({.event_id = "event-1",
                              .tenant_id = "Bjørn & sons",
                              .topic = "order.created.v1",
                              .dispatch_key = "order 7",
                              .traceparent = std::string(trace),
                              .tracestate = "a=b"}),
            (std::vector<std::string>{
                "ce-specversion: 1.0", "ce-id: event-1",
                "ce-source: /makegood/shop_outbox/Bj%25C3%25B8rn%2520%2526%2520sons", "ce-type: order.created.v1",
                "ce-time: 2024-02-29T01:02:03.045Z", "ce-subject: order%207", "ce-tenant: Bj%C3%B8rn%20&%20sons",
                "ce-sequence: 0000000000000000042", "ce-traceparent: " + std::string(trace), "ce-tracestate: a=b"}));
}

TEST(CloudEvent, HasNoSubjectWithoutAKeyAndNoTraceWithoutASoundOne) {
  const std::vector<std::string> headers = event_headers_of({.traceparent = "00-zz", .tracestate = "a=b"});
  EXPECT_EQ(headers.size(), 7U);
  EXPECT_EQ(headers.back(), "ce-sequence: 0000000000000000042");
}

TEST(CloudEvent, HoldsItsJsonByteForByteInTheStructuredMode) {
  EXPECT_EQ(event_of({.event_id = "e\"1", .content = "{\"b\" : 1.0,\n \"a\":1e2}"}),
            R"({"specversion":"1.0","id":"e\"1","source":"/makegood/shop_outbox/default","type":"order.created",)"
            R"("time":"2024-02-29T01:02:03.045Z","tenant":"default","sequence":"0000000000000000042",)"
            R"("datacontenttype":"application/json","data":{"b" : 1.0,)"
            "\n \"a\":1e2}}");
}

TEST(CloudEvent, HoldsBytesInBase64InTheStructuredMode) {
  const std::string event =
      event_of({.content = std::string("\0\xFF", 2), .content_type = "application/octet-stream"}, false);
  EXPECT_TRUE(event.ends_with(R"("datacontenttype":"application/octet-stream","data_base64":"AP8="})")) << event;
}

TEST(CloudEvent, HoldsAPayloadInBase64WhenItsTypeIsNotJson) {
  EXPECT_TRUE(event_of({.content = "7", .content_type = "text/plain"}).ends_with(R"("data_base64":"Nw=="})"));
  EXPECT_TRUE(event_of({.content = "7", .content_type = "application/vnd.shop+json; v=1"}).ends_with(R"("data":7})"));
}

TEST(CloudEvent, CannotBeForgedByAPayloadThatClosesTheObject) {
  for (const std::string content : {R"(1,"id":"other")", "{", "", "1 2", R"({}},"x":{)"}) {
    EXPECT_EQ(event_of({.content = content}),
              "error: The payload is not JSON, so it cannot stand in a structured event.");
  }
}

TEST(CloudEvent, TakesDeepJsonWithoutRunningOutOfStack) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  EXPECT_TRUE(event_of({.content = deep}).ends_with("]}"));
}

TEST(Trace, IsPassedOnOnlyInTheFormOfTheW3C) {
  EXPECT_TRUE(is_traceparent(trace));
  for (const std::string_view bad : {"", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
                                     "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                                     "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
                                     "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
                                     "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                                     "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01"}) {
    EXPECT_FALSE(is_traceparent(bad)) << bad;
  }
}

TEST(Trace, IsPassedOnInLaterVersionsToo) {
  const std::string later = "cc" + std::string(trace.substr(2));
  EXPECT_TRUE(is_traceparent(later));
  EXPECT_TRUE(is_traceparent(later + "-what-the-future-brings"));
  EXPECT_FALSE(is_traceparent(later + ".what")) << "not behind a dash";
  EXPECT_FALSE(is_traceparent(later + "-a\r\nEvil: 1"));
  EXPECT_FALSE(is_traceparent(std::string(trace) + "-01")) << "the first version is no longer than this";
  const SentMessage sent({.traceparent = later, .tracestate = "a=b"});
  EXPECT_EQ(sound_tracestate(*sent.delivery.message), "a=b");
}

TEST(Trace, LosesAStateThatCannotBeSent) {
  for (const std::string& state : {std::string("a=b\r\nEvil: 1"), std::string(513, 'a')}) {
    const SentMessage sent({.traceparent = std::string(trace), .tracestate = state});
    EXPECT_EQ(sound_tracestate(*sent.delivery.message), "");
  }
}

}  // namespace
}  // namespace makegood::http
