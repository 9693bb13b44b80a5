// The transport `http`: a few loops, each with its share of the destinations.
#include <curl/curl.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <future>
#include <string_view>
#include <utility>

#include "base/mistakes.hpp"
#include "base/real_time.hpp"
#include "makegood/http.hpp"
#include "transports/http/client.hpp"
#include "transports/net/ares_channel.hpp"
#include "transports/net/event_loop.hpp"

namespace makegood::http {
namespace {

constexpr std::size_t threads_max = 64;
constexpr std::size_t places_highest = 1'000'000;
/// Keeps `now + grace` from overflowing.
constexpr Duration grace_max = std::chrono::hours(24);

Result<> check_options(const HttpOptions& options) {
  Mistakes mistakes;
  if (options.threads < 1 || options.threads > threads_max) {
    mistakes.add("threads", fmt::format("is {}; allowed: 1 to {}", options.threads, threads_max));
  }
  if (options.connections_max < options.threads || options.connections_max > places_highest) {
    mistakes.add("connections_max", fmt::format("is {}; allowed: at least one for each thread, at most {}",
                                                options.connections_max, places_highest));
  }
  if (options.connect_timeout <= Duration::zero()) mistakes.add("connect_timeout", "is not above zero");
  if (options.slow_after < std::chrono::seconds(1)) mistakes.add("slow_after", "is below a second");
  if (mistakes.empty()) return {};
  return mistakes.as_error("HTTP delivery", Errc::config_invalid);
}

/// More connections than the process may have descriptors would only fail, and everything else that opens a file with
/// them.
std::size_t connections_possible(std::size_t wanted) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return wanted;
  return std::min<std::size_t>(wanted, limit.rlim_cur / 4 * 3);
}

bool is_libcurl_ready() {
  static const bool is_ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  return is_ready;
}

class HttpTransport final : public Transport {
 public:
  HttpTransport(HttpOptions options, Guard guard, const Clock& clock)
      : options_(std::move(options)), guard_(std::move(guard)), clock_(clock) {}
  ~HttpTransport() override = default;
  HttpTransport(const HttpTransport&) = delete;
  HttpTransport& operator=(const HttpTransport&) = delete;

  Result<> start() {
    const std::size_t places = connections_possible(options_.connections_max) / options_.threads;
    for (std::size_t i = 0; i < options_.threads; ++i) {
      const ClientWorld world{.options = options_,
                              .guard = guard_,
                              .clock = clock_,
                              .places_max = std::max<std::size_t>(1, places),
                              .share = {i, options_.threads}};
      const auto open = [&](Poller& poller) { return Client::open(world, poller); };
      loops_.push_back(MAKEGOOD_TRY(EventLoop<Client>::start(open)));
    }
    return {};
  }

  TransportFeatures features() const override {
    return {.scheme = "http", .keeps_order_per_key = false, .keeps_in_flight_max = true};
  }

  void send(std::vector<Delivery> deliveries, Completions& done) override {
    if (loops_.size() == 1) return hand_over(0, std::move(deliveries), done);
    std::vector<std::vector<Delivery>> shares(loops_.size());
    for (Delivery& delivery : deliveries) shares[loop_of(delivery, loops_.size())].push_back(std::move(delivery));
    for (std::size_t i = 0; i < shares.size(); ++i) hand_over(i, std::move(shares[i]), done);
  }

  void drain(Completions& done, Duration grace) override {
    const MonotonicTime end_at = real_now() + std::clamp(grace, Duration::zero(), grace_max);
    std::vector<std::future<void>> drained;
    for (const auto& loop : loops_) drained.push_back(loop->drain(done, end_at));
    for (std::future<void>& one : drained) one.wait();
  }

 private:
  void hand_over(std::size_t loop, std::vector<Delivery> deliveries, Completions& done) {
    if (!deliveries.empty()) loops_[loop]->send(std::move(deliveries), done);
  }

  // Constant once started.
  const HttpOptions options_;
  const Guard guard_;
  const Clock& clock_;
  std::vector<std::unique_ptr<EventLoop<Client>>> loops_;
};

}  // namespace
}  // namespace makegood::http

namespace makegood {

Result<> check_http_options(const HttpOptions& options) {
  MAKEGOOD_TRY(http::check_options(options));
  MAKEGOOD_TRY(http::Guard::from(options));
  return http::check_dns_servers(options.dns_servers);
}

Result<std::unique_ptr<Transport>> new_http_transport(HttpOptions options, const Clock& clock) {
  MAKEGOOD_TRY(check_http_options(options));
  http::Guard guard = MAKEGOOD_TRY(http::Guard::from(options));
  if (!http::is_libcurl_ready()) return Error{Errc::unavailable, "libcurl could not be initialised."};
  auto transport = std::make_unique<http::HttpTransport>(std::move(options), std::move(guard), clock);
  MAKEGOOD_TRY(transport->start());
  return std::unique_ptr<Transport>(std::move(transport));
}

}  // namespace makegood
