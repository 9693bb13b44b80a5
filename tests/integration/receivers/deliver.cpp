// deliver NAME=VALUE...: one delivery by the HTTP transport, as a relay would send it. Prints what came of it as
// "<kind> <seconds to wait> <detail>". The names are those of the struct below; `keys` are separated by spaces.
#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>

#include "makegood/http.hpp"
#include "tests/support/committed_message.hpp"
#include "tests/support/completion_inbox.hpp"

namespace makegood {
namespace {

using testing_support::CompletionInbox;
using Arguments = std::map<std::string, std::string>;

/// For what was signed some time ago. Only the wall clock is wrong: waiting goes on as ever.
class ShiftedClock final : public Clock {
 public:
  explicit ShiftedClock(Duration shift) : shift_(shift) {}
  TimePoint now() const override { return system_clock().now() + shift_; }
  MonotonicTime monotonic() const override { return system_clock().monotonic(); }

 private:
  Duration shift_;
};

Arguments arguments_from(int count, char** texts) {
  Arguments arguments = {{"id", "event-1"},    {"topic", "order.created.v1"}, {"tenant", "default"}, {"key", ""},
                         {"content", "{}"},    {"type", "application/json"},  {"headers", ""},       {"url", ""},
                         {"format", "binary"}, {"shift_seconds", "0"},        {"keys", ""},          {"body", "no"}};
  for (int index = 1; index < count; ++index) {
    const std::string_view text = texts[index];
    arguments[std::string(text.substr(0, text.find('=')))] = text.substr(text.find('=') + 1);
  }
  return arguments;
}

HttpSettings settings_from(const Arguments& arguments) {
  HttpSettings settings{.url = arguments.at("url")};
  if (arguments.at("format") == "structured") settings.format = HttpSettings::Format::structured;
  std::istringstream keys(arguments.at("keys"));
  for (std::string key; keys >> key;) settings.signing_keys.push_back(key);
  return settings;
}

MessagePtr message_from(const Arguments& arguments) {
  auto message = std::const_pointer_cast<Message>(
      testing_support::committed_message({.event_id = arguments.at("id"),
                                          .tenant_id = arguments.at("tenant"),
                                          .topic = arguments.at("topic"),
                                          .dispatch_key = arguments.at("key"),
                                          .content = arguments.at("content"),
                                          .content_type = arguments.at("type"),
                                          .headers = arguments.at("headers"),
                                          .traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"},
                                         42));
  message->is_json = arguments.at("body") == "no";
  message->created_at = system_clock().now();
  return message;
}

std::string_view name_of(Outcome::Kind kind) {
  switch (kind) {
    case Outcome::Kind::ok:
      return "ok";
    case Outcome::Kind::retry:
      return "retry";
    case Outcome::Kind::fail:
      return "fail";
    case Outcome::Kind::gone:
    case Outcome::Kind::returned:
      return "gone";
  }
  std::unreachable();
}

Result<Outcome> deliver(const Arguments& arguments) {
  const ShiftedClock clock{std::chrono::seconds(std::stol(arguments.at("shift_seconds")))};
  const auto transport = MAKEGOOD_TRY(new_http_transport({}, clock));
  Destination destination = MAKEGOOD_TRY(http_destination("receiver", settings_from(arguments)));
  CompletionInbox inbox;
  transport->send({Delivery{.message = message_from(arguments),
                            .destination = std::make_shared<const Destination>(std::move(destination)),
                            .outbox = "shop_outbox",
                            .attempt = 1,
                            .ticket = 1,
                            .incarnation = "5b1f"}},
                  inbox);
  const bool has_arrived = inbox.await(1);
  transport->drain(inbox, Duration::zero());
  if (!has_arrived) return Error{Errc::timeout, "No completion."};
  return inbox.all().front().outcome;
}

}  // namespace
}  // namespace makegood

int main(int count, char** texts) {
  const auto outcome = makegood::deliver(makegood::arguments_from(count, texts));
  if (!outcome) {
    fmt::print(stderr, "{}\n", outcome.error().message);
    return EXIT_FAILURE;
  }
  fmt::print("{} {} {}\n", makegood::name_of(outcome->kind),
             std::chrono::duration_cast<std::chrono::seconds>(outcome->retry_after).count(), outcome->detail);
  return EXIT_SUCCESS;
}
