#include "transports/net/resolver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <set>
#include <unordered_map>
#include <utility>

#include "transports/net/answer_cache.hpp"
#include "transports/net/ares_addresses.hpp"
#include "transports/net/ares_channel.hpp"
#include "transports/net/names.hpp"

namespace makegood::net {
namespace {

/// RFC 6761: no server and no file is asked about this machine itself.
std::vector<Address> loopback() { return {*parse_address("127.0.0.1"), *parse_address("::1")}; }

constexpr Duration kept_min = std::chrono::seconds(1);
constexpr Duration kept_max = std::chrono::minutes(1);
constexpr Duration failure_kept = std::chrono::seconds(1);
constexpr std::size_t questions_max = 4096;

Addresses unavailable(std::string message, std::string diagnostics = {}) {
  return std::make_shared<Result<std::vector<Address>>>(
      Error{Errc::unavailable, std::move(message), std::move(diagnostics)});
}

Addresses failure(const std::string& host, int status) {
  if (status == ARES_ENOTFOUND) return unavailable(fmt::format("The name `{}` does not exist.", host));
  if (status == ARES_ENODATA) return unavailable(fmt::format("The name `{}` has no address.", host));
  return unavailable(fmt::format("The name `{}` could not be looked up.", host), ares_strerror(status));
}

class AresResolver final : public Resolver {
 public:
  AresResolver(Watch watch, const Clock& clock) : watch_(std::move(watch)), clock_(clock) {}
  ~AresResolver() override { end(); }
  AresResolver(const AresResolver&) = delete;
  AresResolver& operator=(const AresResolver&) = delete;

  Result<> start(const std::vector<std::string>& servers) {
    channel_ = MAKEGOOD_TRY(AresChannel::open(servers, on_socket, this));
    return {};
  }

  void resolve(const std::string& host, Duration timeout, Answer answer) override;
  void ready(int descriptor, bool read, bool write) override;
  std::optional<Duration> next_timeout() const override;
  void timed_out() override;
  void stop() override { end(); }

 private:
  using WaiterId = std::uint64_t;
  struct Waiter {
    std::string host;
    MonotonicTime deadline;
    Answer answer;
  };
  /// One name that c-ares is asked about. It is given up by nobody but c-ares: it cannot cancel a single one.
  struct Question {
    AresResolver* resolver = nullptr;
    std::string host;
    std::vector<WaiterId> waiters = {};
  };
  struct Settled {
    Answer answer;
    Addresses addresses;
  };

  static void on_socket(void* data, ares_socket_t socket, int readable, int writable);
  static void on_answer(void* data, int status, int timeouts, ares_addrinfo* found);

  void ask(const std::string& host, WaiterId waiter);
  void settle(Question& question, const Addresses& addresses);
  void settle(WaiterId id, const Addresses& addresses);
  void settle_expired();
  void hand_out();
  void end();

  const Watch watch_;
  const Clock& clock_;
  AnswerCache cache_;
  std::unordered_map<std::string, Question> questions_;
  std::unordered_map<WaiterId, Waiter> waiters_;
  std::set<std::pair<MonotonicTime, WaiterId>> deadlines_;
  WaiterId next_waiter_ = 0;
  std::deque<Settled> settled_;  ///< To be told once c-ares has returned: the listener may ask again, or stop us.
  bool is_handing_out_ = false;
  std::optional<AresChannel> channel_;  ///< None once stopped.
};

void AresResolver::resolve(const std::string& host, Duration timeout, Answer answer) {
  if (!channel_) return;
  const MonotonicTime now = clock_.monotonic();
  if (const auto address = parse_address(host)) return answer(std::vector{*address});
  if (kind_of_name(host) == NameKind::this_machine) return answer(loopback());
  if (const Addresses kept = cache_.find(host, now)) return answer(*kept);
  const bool is_asked = questions_.contains(host);
  if (!is_asked && questions_.size() >= questions_max) {
    return answer(*unavailable(fmt::format("The name `{}` was not looked up: too many others are.", host)));
  }

  const WaiterId id = next_waiter_++;
  waiters_.emplace(id, Waiter{.host = host, .deadline = now + timeout, .answer = std::move(answer)});
  deadlines_.emplace(now + timeout, id);
  ask(host, id);
  hand_out();
}

void AresResolver::ask(const std::string& host, WaiterId waiter) {
  const auto [found, is_new] = questions_.try_emplace(host, Question{.resolver = this, .host = host});
  found->second.waiters.push_back(waiter);
  if (is_new) channel_->ask(host, on_answer, &found->second);  // It may be answered, and gone, when this returns.
}

void AresResolver::ready(int descriptor, bool read, bool write) {
  if (!channel_) return;
  channel_->ready(descriptor, read, write);
  hand_out();
}

std::optional<Duration> AresResolver::next_timeout() const {
  if (!channel_) return std::nullopt;
  std::optional<Duration> next = channel_->next_timeout();
  if (deadlines_.empty()) return next;
  const Duration wait = std::max(deadlines_.begin()->first - clock_.monotonic(), Duration::zero());
  return std::min(next.value_or(wait), wait);
}

void AresResolver::timed_out() {
  if (!channel_) return;
  channel_->timed_out();
  settle_expired();
  hand_out();
}

void AresResolver::on_socket(void* data, ares_socket_t socket, int readable, int writable) {
  static_cast<AresResolver*>(data)->watch_(socket, readable != 0, writable != 0);
}

void AresResolver::on_answer(void* data, int status, int /*timeouts*/, ares_addrinfo* found) {
  const AresAddresses owned(found);
  Question& question = *static_cast<Question*>(data);
  AresResolver& resolver = *question.resolver;
  const MonotonicTime now = resolver.clock_.monotonic();
  std::vector<Address> list = owned.list();
  const bool is_found = status == ARES_SUCCESS && !list.empty();
  const Addresses addresses = is_found ? std::make_shared<Result<std::vector<Address>>>(std::move(list))
                                       : failure(question.host, status == ARES_SUCCESS ? ARES_ENODATA : status);
  const Duration kept = is_found ? std::clamp(owned.time_to_live(), kept_min, kept_max) : failure_kept;
  resolver.cache_.keep(question.host, addresses, now + kept, now);
  resolver.settle(question, addresses);
}

void AresResolver::settle(Question& question, const Addresses& addresses) {
  for (const WaiterId id : question.waiters) settle(id, addresses);
  questions_.erase(questions_.find(question.host));
}

void AresResolver::settle(WaiterId id, const Addresses& addresses) {
  const auto waiter = waiters_.find(id);
  if (waiter == waiters_.end()) return;  // Its time was over before.
  deadlines_.erase({waiter->second.deadline, id});
  settled_.push_back({.answer = std::move(waiter->second.answer), .addresses = addresses});
  waiters_.erase(waiter);
}

void AresResolver::settle_expired() {
  const MonotonicTime now = clock_.monotonic();
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    const WaiterId id = deadlines_.begin()->second;
    settle(id, unavailable(fmt::format("The name `{}` was not looked up in time.", waiters_.at(id).host)));
  }
}

void AresResolver::hand_out() {
  if (is_handing_out_) return;  // The call that this one is inside of goes on with it.
  is_handing_out_ = true;
  while (!settled_.empty()) {
    const Settled one = std::move(settled_.front());
    settled_.pop_front();
    one.answer(*one.addresses);
  }
  is_handing_out_ = false;
}

void AresResolver::end() {
  waiters_.clear();
  deadlines_.clear();
  std::optional<AresChannel> channel = std::exchange(channel_, std::nullopt);
  channel.reset();  // Ends every question, which settles nobody any more, and every watch.
  settled_.clear();
}

}  // namespace

Result<std::unique_ptr<Resolver>> Resolver::open(const std::vector<std::string>& servers, Watch watch,
                                                 const Clock& clock) {
  auto resolver = std::make_unique<AresResolver>(std::move(watch), clock);
  MAKEGOOD_TRY(resolver->start(servers));
  return std::unique_ptr<Resolver>(std::move(resolver));
}

}  // namespace makegood::net
