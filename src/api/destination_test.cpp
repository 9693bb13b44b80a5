// One made-up message, sent to a destination right now and beside the log.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "api/fields.hpp"
#include "api/handlers.hpp"
#include "api/json_out.hpp"
#include "api/registry_of.hpp"
#include "base/log_row.hpp"
#include "makegood/id.hpp"

namespace makegood::api {
namespace {

constexpr Duration test_timeout_max = std::chrono::seconds(30);
/// Beyond the destination's timeout, at which a transport answers at the latest; unless it was stopped meanwhile.
constexpr Duration answer_grace = std::chrono::seconds(5);
constexpr std::string_view test_topic = "makegood.test";
constexpr std::string_view test_payload = R"({"test":true})";

class OneOutcome final : public Completions {
 public:
  void post(std::vector<Completion> completions) override {
    const std::lock_guard lock(mutex_);
    for (Completion& completion : completions) outcome_ = std::move(completion.outcome);
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
  std::string topic = std::string(test_topic);
  std::string payload = std::string(test_payload);
};

Result<TestMessage> message_in(const Call& call) {
  TestMessage message;
  Mistakes mistakes;
  Fields body = Fields::of_object(call.body, mistakes);
  if (auto topic = body.text("topic"); !topic.empty()) message.topic = std::move(topic);
  if (const JsonValue* payload = body.any("payload")) message.payload = payload->source;
  body.refuse_the_rest();
  if (!mistakes.empty()) return mistakes.as_error("The body");
  return message;
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
    case Outcome::Kind::gone:
      return "gone";
  }
  std::unreachable();
}

Answer outcome_answer(const Outcome& outcome, Duration duration) {
  return object_answer(200, [&](Writer& writer) {
    put(writer, "outcome", outcome_name(outcome.kind));
    put_or_null(writer, "code", outcome.code);
    put_or_null(writer, "detail", outcome.detail);
    put_milliseconds(writer, "duration_ms", duration);
  });
}

Result<Answer> send_one(Transport& transport, Delivery delivery, Duration timeout) {
  OneOutcome sent;
  const MonotonicTime begin = system_clock().monotonic();
  transport.send({std::move(delivery)}, sent);
  const auto outcome = sent.await(timeout + answer_grace);
  if (!outcome) return Error{Errc::unavailable, "The process is about to stop; nothing was sent."};
  return outcome_answer(*outcome, system_clock().monotonic() - begin);
}

}  // namespace

Result<Answer> test_destination(const Question& question) {
  const TestMessage wanted = MAKEGOOD_TRY(message_in(question.call));
  DeadLetterStore& letters = *MAKEGOOD_TRY(question.desk.letters(question.outbox()));
  const Routing routing = newest_routing(MAKEGOOD_TRY(letters.lane()));
  auto destination = std::make_shared<Destination>(*MAKEGOOD_TRY(registered(routing, question.destination())));
  if (!destination->name.starts_with("http:")) {
    return Error{Errc::invalid, fmt::format("{} is not reached over HTTP; only such destinations can be tested here.",
                                            destination->name)};
  }
  destination->timeout = std::min(destination->timeout, test_timeout_max);
  Transport& transport = *MAKEGOOD_TRY(question.desk.http());
  const Duration timeout = destination->timeout;
  Delivery delivery{.message = made_up(wanted, destination->tenant_id),
                    .destination = std::move(destination),
                    .outbox = question.outbox()};
  return send_one(transport, std::move(delivery), timeout);
}

}  // namespace makegood::api
