#include "proxy/proxy.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "proxy/connection.hpp"
#include "proxy/listener.hpp"
#include "server/answer_text.hpp"

namespace makegood::proxy {
namespace {

constexpr auto sweep_interval = std::chrono::milliseconds(200);

/// The threads that know the store. SQLite has one writer at a time; elsewhere claims and answers do not wait for each
/// other.
struct Keys {
  std::unique_ptr<Renewals> renewals;
  std::unique_ptr<KeyQueue> first;
  std::unique_ptr<KeyQueue> second;

  KeyQueue& claims() { return *first; }
  KeyQueue& settles() { return second ? *second : *first; }
  void stop() {
    first->stop();
    if (second) second->stop();
  }
};

class HttpProxy final : public Proxy {
 public:
  HttpProxy(ProxyOptions options, const UpstreamAddress& upstream, observe::Log& log)
      : options_(std::move(options)),
        log_(log),
        upstream_(io_, {.address = upstream,
                        .connect_timeout = options_.connect_timeout,
                        .idle_timeout = options_.upstream_idle_timeout,
                        .header_bytes_max = options_.header_bytes_max}) {}
  ~HttpProxy() override { stop({}); }

  Result<> bind();
  Result<> open_keys(const KeyPlace& place);
  void start() override;
  void stop(Duration grace) override;
  std::string address() const override { return to_string(address_); }
  std::string admin_address() const override { return options_.admin.empty() ? "" : to_string(admin_address_); }
  Duration silence() const override { return system_clock().monotonic() - swept_at_.load(); }

 private:
  Result<std::unique_ptr<IdempotencyStore>> open_store(const KeyPlace& place, bool migrates) const;
  KeyQueue::Parts queue_parts();
  void sweep();
  void wind_up();

  const ProxyOptions options_;
  observe::Log& log_;
  server::Address address_;
  server::Address admin_address_;

  Figures figures_;
  api::KeyFigures key_figures_;
  std::atomic<MonotonicTime> swept_at_ = system_clock().monotonic();

  std::mutex mutex_;
  std::condition_variable emptied_;
  bool is_empty_ = false;  // Guarded by mutex_; told only while stopping.

  std::unique_ptr<Site> site_;  ///< From the start on. Before the context: what waits there uses it to the end.
  // Before the queues: they may still deliver when they end.
  net::io_context io_{1};
  Upstream upstream_;
  Listener listener_{io_, false};
  Listener admin_listener_{io_, true};
  net::steady_timer sweep_timer_{io_};
  Keys keys_;
  std::jthread thread_;
};

Result<> HttpProxy::bind() {
  address_ = MAKEGOOD_TRY(listener_.bind(options_.listen));
  if (!options_.admin.empty()) admin_address_ = MAKEGOOD_TRY(admin_listener_.bind(options_.admin));
  return {};
}

Result<std::unique_ptr<IdempotencyStore>> HttpProxy::open_store(const KeyPlace& place, bool migrates) const {
  return open_idempotency_store(place.url, place.schema, migrates,
                                {.limits = {.snapshot_bytes_max = options_.result_bytes_max}, .seal = options_.seal});
}

KeyQueue::Parts HttpProxy::queue_parts() {
  return {.renewals = *keys_.renewals,
          .deliver =
              [this](std::vector<std::function<void()>> calls) {
                net::post(io_, [calls = std::move(calls)] {
                  for (const auto& call : calls) call();
                });
              },
          .patience = options_.store_patience};
}

Result<> HttpProxy::open_keys(const KeyPlace& place) {
  auto first = MAKEGOOD_TRY(open_store(place, true));
  const bool has_one_writer = first->has_one_writer();
  keys_.renewals = std::make_unique<Renewals>(MAKEGOOD_TRY(open_store(place, false)));
  keys_.first = std::make_unique<KeyQueue>(std::move(first), queue_parts());
  if (has_one_writer) return {};
  keys_.second = std::make_unique<KeyQueue>(MAKEGOOD_TRY(open_store(place, false)), queue_parts());
  return {};
}

void HttpProxy::start() {
  site_ = std::make_unique<Site>(Site{.options = options_,
                                      .log = log_,
                                      .figures = figures_,
                                      .key_figures = key_figures_,
                                      .upstream = upstream_,
                                      .claims = keys_.claims(),
                                      .settles = keys_.settles(),
                                      .is_ready = [this] { return !keys_.claims().is_failing(); }});
  listener_.begin(*site_);
  if (!options_.admin.empty()) admin_listener_.begin(*site_);
  sweep();
  thread_ = std::jthread([this] { io_.run(); });
}

void HttpProxy::sweep() {
  const MonotonicTime now = system_clock().monotonic();
  swept_at_ = now;
  site_->date = server::http_date(to_milliseconds(system_clock().now()) / 1000);
  for (auto place = site_->connections.begin(); place != site_->connections.end();) {
    const auto connection = (*place++)->shared_from_this();  // It may go away, itself and no other.
    connection->check(now);
  }
  upstream_.sweep(now);
  sweep_timer_.expires_after(sweep_interval);
  sweep_timer_.async_wait([this](const error_code& error) {
    if (!error) sweep();
  });
}

void HttpProxy::stop(Duration grace) {
  if (!thread_.joinable()) return;
  net::post(io_, [this] { wind_up(); });
  {
    std::unique_lock lock(mutex_);
    emptied_.wait_for(lock, grace, [this] { return is_empty_; });
  }
  io_.stop();
  thread_.join();
  keys_.stop();
}

void HttpProxy::wind_up() {
  site_->is_stopping = true;
  listener_.close();
  admin_listener_.close();
  upstream_.close_idle();
  site_->emptied = [this] {
    const std::scoped_lock lock(mutex_);
    is_empty_ = true;
    emptied_.notify_all();
  };
  for (auto place = site_->connections.begin(); place != site_->connections.end();) {
    const auto connection = (*place++)->shared_from_this();
    connection->wind_up();
  }
  site_->tell_if_empty();
}

}  // namespace

Result<std::unique_ptr<Proxy>> Proxy::open(const ProxyOptions& options, const KeyPlace& keys, observe::Log& log) {
  ProxyOptions good = MAKEGOOD_TRY(checked(options));
  const UpstreamAddress upstream = MAKEGOOD_TRY(parse_upstream(good.upstream));
  auto proxy = std::make_unique<HttpProxy>(std::move(good), upstream, log);
  MAKEGOOD_TRY(proxy->bind());
  MAKEGOOD_TRY(proxy->open_keys(keys));
  return std::unique_ptr<Proxy>(std::move(proxy));
}

}  // namespace makegood::proxy
