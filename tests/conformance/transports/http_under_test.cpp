#include "tests/conformance/transports/http_under_test.hpp"

#include <map>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "makegood/http.hpp"
#include "tests/support/loopback_server.hpp"
#include "tests/support/value_of.hpp"

namespace makegood::conformance {
namespace {

using testing_support::HttpReply;
using testing_support::HttpRequest;
using testing_support::LoopbackServer;
using testing_support::MessageTexts;

constexpr int failed_status = 500;
constexpr int busy_status = 503;
constexpr int refused_status = 422;
constexpr int gone_status = 410;

HttpReply later(int status, Duration retry_after) {
  if (retry_after == Duration::zero()) return testing_support::reply(status);
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(retry_after).count();
  return testing_support::reply(status, "Retry-After: " + std::to_string(seconds) + "\r\n");
}

HttpReply behave(const Behaviour& behaviour) {
  switch (behaviour.kind) {
    case Behaviour::Kind::ok:
      return {};
    case Behaviour::Kind::retry:
      return later(failed_status, behaviour.retry_after);
    case Behaviour::Kind::busy:
      return later(busy_status, behaviour.retry_after);
    case Behaviour::Kind::fail:
      return testing_support::reply(refused_status);
    case Behaviour::Kind::gone:
      return testing_support::reply(gone_status);
    case Behaviour::Kind::hang:
      return testing_support::hang();
    case Behaviour::Kind::crash:
      return testing_support::hang_up();
  }
  std::unreachable();
}

std::string percent_decoded(const std::string& text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_encoded = text[i] == '%';
    decoded += is_encoded ? static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16)) : text[i];
    if (is_encoded) i += 2;
  }
  return decoded;
}

/// The message as its receiver can read it.
class ReceivedRequest {
 public:
  explicit ReceivedRequest(const HttpRequest& request) : request_(request) {}

  Received received() const {
    return {.destination = "http:" + request_.path.substr(1),
            .texts = texts(),
            .sequence = std::stol(header("makegood-sequence")),
            .attempt = static_cast<std::uint32_t>(std::stoul(header("makegood-attempt"))),
            .outbox = header("makegood-outbox")};
  }

 private:
  MessageTexts texts() const {
    return {.event_id = header("ce-id"),
            .tenant_id = header("makegood-tenant"),
            .topic = header("makegood-topic"),
            .dispatch_key = header("ce-subject"),
            .content = request_.body,
            .content_type = header("content-type"),
            .headers = own_headers(),
            .envelope_id = {},
            .traceparent = header("traceparent"),
            .tracestate = header("tracestate")};
  }
  std::string header(const std::string& name) const {
    const auto found = request_.headers.find(name);
    return found == request_.headers.end() ? std::string() : percent_decoded(found->second);
  }
  std::string own_headers() const {
    const std::string origin = header("x-origin");
    return origin.empty() ? std::string() : R"({"x-origin":")" + origin + R"("})";
  }

  const HttpRequest& request_;
};

class HttpUnderTest final : public TransportUnderTest {
 public:
  explicit HttpUnderTest(std::size_t threads) : transport_(value_of(new_http_transport({.threads = threads}))) {}

  Transport& transport() override { return *transport_; }
  DestinationPtr destination(const std::string& name, const Behaviour& behaviour, Duration timeout) override {
    const std::lock_guard lock(mutex_);
    behaviours_["/" + name] = behaviour;
    return std::make_shared<const Destination>(
        value_of(http_destination(name, {.url = server_.url("/" + name)}, {.timeout = timeout})));
  }
  DestinationPtr nowhere() override {
    // A port that was free a moment ago, and that the kernel does not give to anybody else so soon.
    const std::string url = LoopbackServer([](const HttpRequest&) { return HttpReply(); }).url();
    return std::make_shared<const Destination>(value_of(http_destination("nobody", {.url = url})));
  }
  Outcome expected(const Behaviour& behaviour) override {
    switch (behaviour.kind) {
      case Behaviour::Kind::ok:
        return Outcome::ok();
      case Behaviour::Kind::fail:
        return Outcome::fail("HTTP.422");
      case Behaviour::Kind::gone:
        return Outcome::gone("HTTP.410");
      case Behaviour::Kind::retry:
        return Outcome::retry("PROVIDER.UNAVAILABLE");
      case Behaviour::Kind::busy:
        return Outcome::unreachable("PROVIDER.UNAVAILABLE");
      case Behaviour::Kind::crash:
        return Outcome::silent("PROVIDER.UNAVAILABLE");
      case Behaviour::Kind::hang:
        return Outcome::silent("TX.TIMEOUT");
    }
    std::unreachable();
  }
  Outcome expected_nowhere() override { return Outcome::unreachable("PROVIDER.UNAVAILABLE"); }
  MessageTexts as_received(MessageTexts texts) override {
    texts.envelope_id = {};
    return texts;
  }
  bool await_received(std::size_t count) override { return server_.await_received(count); }
  std::vector<Received> received() override {
    std::vector<Received> all;
    for (const HttpRequest& request : server_.received()) all.push_back(ReceivedRequest(request).received());
    return all;
  }
  void release() override { server_.release(); }

 private:
  HttpReply answer(const HttpRequest& request) {
    const std::lock_guard lock(mutex_);
    return behave(behaviours_.at(request.path));
  }

  // Guarded by mutex_.
  std::mutex mutex_;
  std::map<std::string, Behaviour> behaviours_;

  LoopbackServer server_{[this](const HttpRequest& request) { return answer(request); }};
  std::unique_ptr<Transport> transport_;
};

}  // namespace

std::unique_ptr<TransportUnderTest> http_under_test(std::size_t threads) {
  return std::make_unique<HttpUnderTest>(threads);
}

}  // namespace makegood::conformance
