#include "bench/http/bare_client.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <thread>

#include "bench/scratch.hpp"
#include "makegood/spi/assert.hpp"

namespace makegood::bench {
namespace {

/// Those of a delivery.
constexpr std::array headers = {
    "User-Agent: makegood/0.1.0",
    "Content-Type: application/json",
    "ce-specversion: 1.0",
    "ce-id: 018f2f4e-5b1c-7c3a-9d2e-0123456789ab",
    "ce-source: /makegood/makegood_outbox/t0",
    "ce-type: bench.evt",
    "ce-time: 2024-05-01T12:00:00.000Z",
    "ce-tenant: t0",
    "ce-sequence: 0000000000001234567",
    "makegood-outbox: makegood_outbox",
    "makegood-tenant: t0",
    "makegood-topic: bench.evt",
    "makegood-sequence: 1234567",
    "makegood-incarnation: 018f2f4e-5b1c-7c3a-9d2e-0123456789ab",
    "makegood-attempt: 1",
    "Idempotency-Key: 018f2f4e-5b1c-7c3a-9d2e-0123456789ab",
    "webhook-id: 018f2f4e-5b1c-7c3a-9d2e-0123456789ab",
    "webhook-timestamp: 1714564800",
    "source: bench",
    "version: 1",
};

std::size_t discard(const char*, std::size_t size, std::size_t count, void*) { return size * count; }

std::uint32_t events_of(int what) {
  return ((what & CURL_POLL_IN) != 0 ? EPOLLIN : 0U) | ((what & CURL_POLL_OUT) != 0 ? EPOLLOUT : 0U);
}

int flags_of(std::uint32_t events) {
  return ((events & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) | ((events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
         ((events & (EPOLLERR | EPOLLHUP)) != 0 ? CURL_CSELECT_ERR : 0);
}

}  // namespace

BareClient::BareClient(std::string url, std::size_t in_flight)
    : url_(std::move(url)),
      body_(a_message().payload),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      multi_(curl_multi_init()) {
  for (const char* header : headers) headers_.reset(curl_slist_append(headers_.release(), header));
  curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, &on_socket);
  curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, &on_timer);
  curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
  curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, static_cast<long>(in_flight));
  for (std::size_t i = 0; i < in_flight; ++i) idle_.push_back(new_easy());
}

BareClient::~BareClient() {
  multi_.reset();
  close(epoll_);
}

CURL* BareClient::new_easy() {
  CURL* easy = easies_.emplace_back(curl_easy_init()).get();
  curl_easy_setopt(easy, CURLOPT_URL, url_.c_str());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body_.c_str());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(body_.size()));
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &discard);
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 4096L);  // It is made anew for each request.
  curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
  curl_easy_setopt(easy, CURLOPT_PROXY, "");  // Else the environment is searched for one, each time.
  return easy;
}

void BareClient::send(std::size_t count) {
  to_send_ = to_answer_ = count;
  while (to_answer_ > 0) {
    for (; to_send_ > 0 && !idle_.empty(); --to_send_) {
      curl_multi_add_handle(multi_.get(), idle_.back());
      idle_.pop_back();
    }
    drive();
    take_answers();
  }
}

void BareClient::drive() {
  std::array<epoll_event, 512> events{};
  const int count = epoll_wait(epoll_, events.data(), events.size(), wait_milliseconds());
  int running = 0;
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    curl_multi_socket_action(multi_.get(), event.data.fd, flags_of(event.events), &running);
  }
  if (!due_ || Clock::now() < *due_) return;
  due_.reset();
  curl_multi_socket_action(multi_.get(), CURL_SOCKET_TIMEOUT, 0, &running);
}

void BareClient::take_answers() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_.get(), &left)) {
    long status = 0;
    curl_easy_getinfo(message->easy_handle, CURLINFO_RESPONSE_CODE, &status);
    MAKEGOOD_ASSERT(message->data.result == CURLE_OK && status == 200);
    idle_.push_back(message->easy_handle);
    --to_answer_;
    curl_multi_remove_handle(multi_.get(), message->easy_handle);
  }
}

int BareClient::wait_milliseconds() const {
  if (!due_) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*due_ - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(0, left));
}

/// A kept connection stays with epoll from one request to the next, though libcurl lets go of it in between.
int BareClient::on_socket(CURL*, curl_socket_t socket, int what, void* self, void*) {
  if (what == CURL_POLL_REMOVE) return 0;
  auto& client = *static_cast<BareClient*>(self);
  const auto place = static_cast<std::size_t>(socket);
  if (client.watched_.size() <= place) client.watched_.resize(place + 1, 0);
  const std::uint32_t events = events_of(what);
  if (client.watched_[place] == events) return 0;
  epoll_event event{.events = events, .data = {.fd = socket}};
  epoll_ctl(client.epoll_, client.watched_[place] == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, socket, &event);
  client.watched_[place] = events;
  return 0;
}

int BareClient::on_timer(CURLM*, long milliseconds, void* self) {
  auto& due = static_cast<BareClient*>(self)->due_;
  if (milliseconds < 0) return due.reset(), 0;
  due = Clock::now() + std::chrono::milliseconds(milliseconds);
  return 0;
}

BareClients::BareClients(const std::string& url, std::size_t in_flight, std::size_t threads) {
  MAKEGOOD_ASSERT(in_flight % threads == 0);
  for (std::size_t i = 0; i < threads; ++i) {
    clients_.push_back(std::make_unique<BareClient>(url, in_flight / threads));
  }
}

void BareClients::send(std::size_t count) {
  MAKEGOOD_ASSERT(count % clients_.size() == 0);
  std::vector<std::jthread> threads;
  threads.reserve(clients_.size());
  for (const auto& client : clients_) {
    threads.emplace_back([&client, share = count / clients_.size()] { client->send(share); });
  }
}

}  // namespace makegood::bench
