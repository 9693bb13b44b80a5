#include "server/server.hpp"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "api/connections.hpp"
#include "makegood/spi/registry.hpp"
#include "server/answer_text.hpp"
#include "server/beast.hpp"
#include "server/connection.hpp"
#include "server/listener.hpp"

namespace makegood::server {
namespace {

constexpr auto sweep_interval = std::chrono::milliseconds(500);

class HttpServer final : public Server {
 public:
  HttpServer(ServerOptions options, const api::ApiContext& api_context, Process process, Gate gate)
      : options_(std::move(options)),
        api_context_(api_context),
        process_(std::move(process)),
        gate_(std::move(gate)),
        figures_(options_.metrics_path) {}
  ~HttpServer() override { stop({}); }

  Result<> bind(const Address& address) {
    address_ = MAKEGOOD_TRY(listener_.bind(address));
    return {};
  }
  Result<> open_socket(const std::string& path) override {
    MAKEGOOD_TRY(socket_listener_.bind_path(path));
    has_socket_ = true;
    return {};
  }
  void admit(std::string secret) override { gate_.admit(std::move(secret)); }
  void start() override;
  void stop(Duration grace) override;
  std::string address() const override { return to_string(address_); }
  Observer& observer() override { return hub_; }
  void tell(const api::KeyNews& news) override { hub_.key(news); }
  Duration silence() const override { return system_clock().monotonic() - swept_at_.load(); }

 private:
  /// What it is told of is for the streams, and for those who wait for the outcomes of sagas.
  class Audience final : public EventHub {
   public:
    void sagas(std::string_view log, std::span<const SagaNews> news) override {
      EventHub::sagas(log, news);
      if (SagaQueue* const queue = queue_.load()) queue->tell(news);
    }
    void saga_figures(std::string_view log, const SagaFigures& figures) override {
      EventHub::saga_figures(log, figures);
      if (SagaQueue* const queue = queue_.load()) queue->tell(figures);
    }
    void tell(SagaQueue* queue) { queue_ = queue; }

   private:
    std::atomic<SagaQueue*> queue_ = nullptr;
  };

  Deliver deliver();
  EnqueueQueue::Parts queue_parts();
  SagaQueue::Parts saga_parts();
  void sweep();
  void wind_up();
  void await_empty(Duration grace);

  // Constant after construction.
  const ServerOptions options_;
  const api::ApiContext& api_context_;
  const Process process_;

  // Constant from the start on.
  Gate gate_;
  Address address_;
  bool has_socket_ = false;

  Figures figures_;
  Audience hub_;
  std::atomic<MonotonicTime> swept_at_ = system_clock().monotonic();

  std::mutex mutex_;
  std::condition_variable emptied_;
  bool is_empty_ = false;  // Guarded by mutex_; told only while stopping.

  // Used by the thread that reads and writes.
  Site site_{.options = options_, .process = process_, .gate = gate_, .figures = figures_, .hub = hub_};
  net::io_context io_{1};
  Listener listener_{io_, site_};
  Listener socket_listener_{io_, site_};
  net::steady_timer sweep_timer_{io_};

  // From the start on. They hold callers, which must go before the sockets' context does.
  std::unique_ptr<EnqueueQueue> enqueues_;
  std::unique_ptr<SagaQueue> sagas_;
  std::unique_ptr<Workers> workers_;
  std::unique_ptr<Switchboard> switchboard_;
  std::jthread thread_;
};

Deliver HttpServer::deliver() {
  return [this](std::vector<Reply> replies) {
    net::post(io_, [replies = std::move(replies)]() mutable {
      for (Reply& reply : replies) reply.to->answer(std::move(reply.answer));
    });
  };
}

EnqueueQueue::Parts HttpServer::queue_parts() {
  return {.open = [this](std::string_view outbox) { return open_store(api_context_.store_url, outbox, false); },
          .deliver = deliver(),
          .enqueued = process_.enqueued};
}

SagaQueue::Parts HttpServer::saga_parts() {
  return {.open = [this] { return api::open_sagas(api_context_); },
          .deliver = deliver(),
          .started = api_context_.sagas_changed};
}

void HttpServer::start() {
  enqueues_ = std::make_unique<EnqueueQueue>(queue_parts());
  sagas_ = std::make_unique<SagaQueue>(saga_parts());
  hub_.tell(sagas_.get());
  workers_ = std::make_unique<Workers>(api_context_, options_.workers, options_.calls_max, deliver());
  switchboard_ = std::make_unique<Switchboard>(
      Switchboard::Parts{.options = options_,
                         .api_context = api_context_,
                         .process = process_,
                         .figures = figures_,
                         .workers = *workers_,
                         .enqueues = *enqueues_,
                         .sagas = *sagas_,
                         .soon = [this](std::function<void()> task) { net::post(io_, std::move(task)); }});
  site_.switchboard = switchboard_.get();
  listener_.begin();
  if (has_socket_) socket_listener_.begin();
  sweep();
  thread_ = std::jthread([this] { io_.run(); });
}

/// Looks at every connection's deadline. Rough, and so cheap that a request sets several without a thought.
void HttpServer::sweep() {
  const MonotonicTime now = system_clock().monotonic();
  swept_at_ = now;
  site_.date = http_date(to_milliseconds(system_clock().now()) / 1000);
  for (auto place = site_.connections.begin(); place != site_.connections.end();) {
    // It may go away, itself and no other.
    const auto connection = (*place++)->shared_from_this();
    connection->check(now);
  }
  sweep_timer_.expires_after(sweep_interval);
  sweep_timer_.async_wait([this](const error_code& error) {
    if (!error) sweep();
  });
}

void HttpServer::stop(Duration grace) {
  if (!thread_.joinable()) return;
  net::post(io_, [this] { wind_up(); });
  await_empty(grace);
  // First the thread that owns the connections: whoever still holds one may then let go of it.
  io_.stop();
  thread_.join();
  workers_->stop();
  enqueues_->stop();
  sagas_->stop();
}

void HttpServer::wind_up() {
  site_.is_stopping = true;
  sagas_->wind_up();
  // First the socket: once the port is free another server may put its own in the same place.
  socket_listener_.close();
  listener_.close();
  site_.emptied = [this] {
    const std::scoped_lock lock(mutex_);
    is_empty_ = true;
    emptied_.notify_all();
  };
  for (auto place = site_.connections.begin(); place != site_.connections.end();) {
    const auto connection = (*place++)->shared_from_this();
    connection->wind_up();
  }
  if (site_.connections.empty()) site_.emptied();
}

void HttpServer::await_empty(Duration grace) {
  std::unique_lock lock(mutex_);
  emptied_.wait_for(lock, grace, [this] { return is_empty_; });
}

}  // namespace

Result<std::unique_ptr<Server>> Server::open(ServerOptions options, const api::ApiContext& api_context,
                                             Process process) {
  const Address address = MAKEGOOD_TRY(parse_address(options.listen));
  Gate gate = MAKEGOOD_TRY(Gate::open({.listen = address,
                                       .tokens = options.tokens,
                                       .metrics_path = options.metrics_path,
                                       .is_open_on_loopback = options.is_open_on_loopback}));
  auto server = std::make_unique<HttpServer>(std::move(options), api_context, std::move(process), std::move(gate));
  MAKEGOOD_TRY(server->bind(address));
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace makegood::server
