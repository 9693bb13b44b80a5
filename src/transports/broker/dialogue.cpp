#include "transports/broker/dialogue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace makegood::broker {
namespace {

/// A question that has no answer by then has none.
constexpr Duration answer_within = std::chrono::seconds(10);
constexpr Duration name_patience = std::chrono::seconds(1);
constexpr std::size_t addresses_asked_max = 3;

Error too_late() { return {Errc::unavailable, "It did not answer in time."}; }

}  // namespace

Result<std::unique_ptr<Dialogue>> Dialogue::with(Access access, const BrokerOptions& options, const Clock& clock,
                                                 Converse converse) {
  net::Guard guard = MAKEGOOD_TRY(broker_guard(options));
  net::Poller poller = MAKEGOOD_TRY(net::Poller::open());
  std::unique_ptr<Dialogue> dialogue(
      new Dialogue(std::move(access), options, clock, std::move(guard), std::move(poller), std::move(converse)));
  MAKEGOOD_TRY(dialogue->prepare());
  return dialogue;
}

Dialogue::Dialogue(Access access, const BrokerOptions& options, const Clock& clock, net::Guard guard,
                   net::Poller poller, Converse converse)
    : access_(std::move(access)),
      connect_timeout_(options.network.connect_timeout),
      name_servers_(options.network.dns_servers),
      clock_(clock),
      guard_(std::move(guard)),
      converse_(std::move(converse)),
      secrets_(clock, options.network.warn),
      poller_(std::move(poller)) {}

Dialogue::~Dialogue() {
  close();
  if (resolver_) resolver_->stop();
}

Result<> Dialogue::prepare() {
  const auto watch = [this](int descriptor, bool read, bool write) {
    if (!read && !write) return poller_.forget(descriptor);
    poller_.watch(descriptor, net::Watcher::resolver, {.read = read, .write = write});
  };
  resolver_ = MAKEGOOD_TRY(net::Resolver::open(name_servers_, watch, clock_));
  return {};
}

Error Dialogue::about(const Error& error) const {
  return {is_retryable(error.code) ? error.code : Errc::unavailable,
          fmt::format("{}: {}", shown(server()), error.message), error.diagnostics};
}

Result<Duration> Dialogue::left() const {
  const Duration left = open_by_ - clock_.monotonic();
  if (left <= Duration::zero()) return too_late();
  return left;
}

void Dialogue::close() {
  if (stream_) poller_.forget(stream_->descriptor());
  stream_.reset();
  conversation_.reset();
  incoming_.clear();
}

// Making a connection
// --------------------------------------------------------------------------------------------------------------------

Result<> Dialogue::open() {
  if (is_open()) return {};
  Result<> opened;
  for (std::size_t tried = 0; tried < access_.servers.size(); ++tried) {
    opened = open_one();
    if (opened) return {};
    close();
    opened = about(opened.error());
    server_index_ = (server_index_ + 1) % access_.servers.size();
  }
  return opened;
}

Result<> Dialogue::open_one() {
  open_by_ = clock_.monotonic() + connect_timeout_;
  conversation_ = converse_(MAKEGOOD_TRY(credentials()));
  const std::vector<net::Address> addresses = MAKEGOOD_TRY(look_up());
  MAKEGOOD_TRY(connect(addresses));
  return greet();
}

Result<Credentials> Dialogue::credentials() {
  Credentials credentials;
  for (const auto& [name, reference] : access_.secrets) {
    credentials.emplace(name, MAKEGOOD_TRY(secrets_.read(reference, access_.places)).reveal());
  }
  return credentials;
}

Result<std::vector<net::Address>> Dialogue::look_up() {
  const auto answer = std::make_shared<std::optional<Result<std::vector<net::Address>>>>();
  resolver_->resolve(server().host, connect_timeout_, [answer](const auto& found) { answer->emplace(found); });
  while (!*answer) {
    MAKEGOOD_TRY(left());
    wait_for_names();
  }
  std::vector<net::Address> addresses = MAKEGOOD_TRY(std::move(**answer));
  MAKEGOOD_TRY(guard_.check(addresses, access_.trust));
  return addresses;
}

void Dialogue::wait_for_names() {
  const Duration patience = std::min(resolver_->next_timeout().value_or(name_patience), name_patience);
  for (const net::Ready& ready : poller_.wait(std::max(patience, Duration::zero()))) {
    if (ready.watcher == net::Watcher::resolver) {
      resolver_->ready(ready.descriptor, ready.interest.read, ready.interest.write);
    }
  }
  if (resolver_->next_timeout().value_or(name_patience) <= Duration::zero()) resolver_->timed_out();
}

Result<> Dialogue::connect(const std::vector<net::Address>& addresses) {
  Result<> connected;
  for (const net::Address& address : std::span(addresses).first(std::min(addresses.size(), addresses_asked_max))) {
    connected = connect_to(address);
    if (connected) return {};
    if (stream_) poller_.forget(stream_->descriptor());
    stream_.reset();
  }
  return connected;
}

Result<> Dialogue::connect_to(const net::Address& address) {
  stream_.emplace(MAKEGOOD_TRY(Stream::connect(address, server().port)));
  MAKEGOOD_TRY(wait_for_stream(false));
  return stream_->connected();
}

/// What is said before TLS begins would be said in the clear: so it begins first, once the server wants it.
Result<> Dialogue::greet() {
  conversation_->begin();
  bool is_clear = server().is_tls;
  while (!conversation_->is_ready()) {
    if (is_clear && conversation_->wants_tls()) {
      MAKEGOOD_TRY(secure());
      is_clear = false;
    }
    const Duration wait = MAKEGOOD_TRY(left());
    MAKEGOOD_TRY(exchange(wait));
  }
  return {};
}

Result<> Dialogue::secure() {
  const TlsContext context = MAKEGOOD_TRY(new_tls_context(access_));
  MAKEGOOD_TRY(stream_->start_tls(*context, server().host));
  while (!MAKEGOOD_TRY(stream_->shake_hands())) MAKEGOOD_TRY(wait_for_stream(false));
  return {};
}

Result<> Dialogue::wait_for_stream(bool has_more) {
  poller_.watch(stream_->descriptor(), net::Watcher::client, stream_->interest(has_more));
  for (;;) {
    const auto ready = poller_.wait(MAKEGOOD_TRY(left()));
    if (std::ranges::any_of(ready, [](const net::Ready& each) { return each.watcher == net::Watcher::client; })) {
      return {};
    }
  }
}

// Using it
// --------------------------------------------------------------------------------------------------------------------

Result<> Dialogue::listen(Duration wait) {
  auto heard = exchange(wait);
  if (heard) heard = say();
  if (heard) return {};
  Error error = about(heard.error());
  close();
  return error;
}

Result<> Dialogue::await(const std::function<bool()>& is_done) {
  const MonotonicTime until = clock_.monotonic() + answer_within;
  while (!is_done()) {
    const Duration left = until - clock_.monotonic();
    if (left <= Duration::zero()) {
      Error error = about(too_late());
      close();
      return error;
    }
    MAKEGOOD_TRY(listen(left));
  }
  return {};
}

Result<> Dialogue::exchange(Duration wait) {
  MAKEGOOD_TRY(say());
  poller_.watch(stream_->descriptor(), net::Watcher::client, stream_->interest(!conversation_->outgoing().empty()));
  for (const net::Ready& ready : poller_.wait(wait)) {
    if (ready.watcher == net::Watcher::resolver) {
      resolver_->ready(ready.descriptor, ready.interest.read, ready.interest.write);
    } else if (ready.interest.read) {
      return hear();
    }
  }
  return {};
}

Result<> Dialogue::say() {
  std::string& outgoing = conversation_->outgoing();
  std::size_t done = 0;
  while (done < outgoing.size()) {
    const std::size_t count = MAKEGOOD_TRY(stream_->write(std::string_view(outgoing).substr(done)));
    if (count == 0) break;
    done += count;
  }
  outgoing.erase(0, done);
  return {};
}

/// What came before the end is understood first: it may say why.
Result<> Dialogue::hear() {
  auto is_read = stream_->read(incoming_);
  const std::size_t understood = MAKEGOOD_TRY(conversation_->receive(incoming_));
  incoming_.erase(0, understood);
  return is_read;
}

}  // namespace makegood::broker
