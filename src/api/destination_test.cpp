// One made-up message, sent to a destination right now and beside the log.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "api/json_out.hpp"
#include "api/operation.hpp"
#include "api/registry_of.hpp"
#include "base/log_row.hpp"
#include "makegood/id.hpp"

namespace makegood::api {
namespace {

constexpr Duration test_timeout_max = std::chrono::seconds(30);
/// Beyond the destination's timeout, at which a transport answers at the latest; unless it ends meanwhile.
constexpr Duration answer_grace = std::chrono::seconds(5);
constexpr std::string_view test_topic = "makegood.test";
constexpr std::string_view test_payload = R"({"test":true})";

class OneOutcome final : public Completions {
 public:
  void post(std::vector<Report> reports) override {
    const std::lock_guard lock(mutex_);
    for (Report& report : reports) outcome_ = judged_by_outbox(std::move(report.reply));
    arrived_.notify_all();
  }
  std::optional<Outcome> await(Duration limit) {
    std::unique_lock lock(mutex_);
    arrived_.wait_for(lock, limit, [&] { return outcome_.has_value(); });
    return outcome_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::optional<Outcome> outcome_;
};

struct TestMessage {
  std::string topic;
  std::string payload;
};

TestMessage test_message_in(Fields& body) {
  std::string topic = body.text("topic", {.absent = test_topic});
  const JsonValue* payload = body.any("payload", "Any JSON.");
  return {std::move(topic), std::string(payload == nullptr ? test_payload : payload->source)};
}

MessagePtr made_up(const TestMessage& wanted, std::string_view tenant_id) {
  const std::string event_id = new_uuid7();
  auto message =
      new_message(std::to_array<MessageText>({{&Message::event_id, event_id},
                                              {&Message::tenant_id, tenant_id.empty() ? default_tenant_id : tenant_id},
                                              {&Message::topic, wanted.topic},
                                              {&Message::content, wanted.payload}}));
  message->sequence = 1;
  message->content_type = default_content_type(true);
  message->created_at = message->available_at = system_clock().now();
  return message;
}

std::string_view outcome_name(Outcome::Kind kind) {
  switch (kind) {
    case Outcome::Kind::ok:
      return "ok";
    case Outcome::Kind::retry:
      return "retry";
    case Outcome::Kind::fail:
      return "fail";
    case Outcome::Kind::returned:  // Nobody else could have sent it.
    case Outcome::Kind::gone:
      return "gone";
  }
  std::unreachable();
}

struct TestOutcome {
  Outcome outcome = {};
  Duration duration = {};
};
void put_outcome(Writer& writer, const TestOutcome& test) {
  put_one_of(writer, "outcome", outcome_name(test.outcome.kind), {"ok", "retry", "fail", "gone"});
  put_or_null(writer, "code", test.outcome.code);
  put_or_null(writer, "detail", test.outcome.detail);
  put_milliseconds(writer, "duration_ms", test.duration);
}

Result<Answer> send_one(Transport& transport, Delivery delivery, Duration timeout) {
  OneOutcome sent;
  const MonotonicTime begin = system_clock().monotonic();
  transport.send({std::move(delivery)}, sent);
  const auto outcome = sent.await(timeout + answer_grace);
  transport.drain(sent, {});
  if (!outcome) return Error{Errc::unavailable, "The process is about to stop; nothing was sent."};
  return answer_of(TestOutcome{*outcome, system_clock().monotonic() - begin}, put_outcome);
}

Result<Answer> test_destination(const RoutedCall& routed) {
  const TestMessage wanted = MAKEGOOD_TRY(read_body(routed.call, test_message_in));
  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  const Routing routing = newest_routing(MAKEGOOD_TRY(view.lane()));
  auto destination = std::make_shared<Destination>(*MAKEGOOD_TRY(registered(routing, routed.destination())));
  Transports& transports = *routed.connections.api_context().transports;
  const TransportKind* kind = transports.kind_of(destination->name);
  if (kind == nullptr) {
    return Error{
        Errc::invalid,
        fmt::format("{} is reached by the program that registered it; it cannot be tested here.", destination->name)};
  }
  destination->timeout = std::min(destination->timeout, test_timeout_max);
  Transport& transport = *MAKEGOOD_TRY(transports.shared(*kind));
  const Duration timeout = destination->timeout;
  Delivery delivery{.message = made_up(wanted, destination->tenant_id),
                    .destination = std::move(destination),
                    .outbox = routed.outbox()};
  return send_one(transport, std::move(delivery), timeout);
}

constexpr auto about_tests = std::to_array<Operation>({
    {.id = "test_destination",
     .method = "POST",
     .path = "/api/outboxes/{outbox}/destinations/{destination}/test",
     .role = Role::operate,
     .handler = test_destination,
     .tag = "destinations",
     .summary = "Send one made-up message right now, beside the log",
     .body = {"TestMessage", reads<test_message_in>, {"{}"}},
     .replies = {Reply{200, "What came of it; also when it failed.", "TestOutcome", writes<put_outcome>}}},
});

}  // namespace

Operations test_operations() { return about_tests; }

}  // namespace makegood::api
