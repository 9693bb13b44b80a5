#include "transports/http/multi.hpp"

#include <algorithm>

#include "base/real_time.hpp"
#include "makegood/spi/assert.hpp"
#include "transports/http/transfer.hpp"

namespace makegood::http {

Multi::Multi(Poller& poller, std::size_t connections_max) : poller_(poller), handle_(curl_multi_init()) {
  MAKEGOOD_ASSERT(handle_ != nullptr);
  const auto connections = static_cast<long>(connections_max);
  curl_multi_setopt(handle_.get(), CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
  curl_multi_setopt(handle_.get(), CURLMOPT_MAXCONNECTS, connections);
  curl_multi_setopt(handle_.get(), CURLMOPT_MAX_TOTAL_CONNECTIONS, connections);
  curl_multi_setopt(handle_.get(), CURLMOPT_SOCKETFUNCTION, &on_socket);
  curl_multi_setopt(handle_.get(), CURLMOPT_SOCKETDATA, this);
  curl_multi_setopt(handle_.get(), CURLMOPT_TIMERFUNCTION, &on_timer);
  curl_multi_setopt(handle_.get(), CURLMOPT_TIMERDATA, this);
}

void Multi::add(Transfer& transfer) {
  const CURLMcode code = curl_multi_add_handle(handle_.get(), transfer.easy());
  MAKEGOOD_ASSERT(code == CURLM_OK);
  transfer.is_added = true;
}

void Multi::remove(Transfer& transfer) {
  curl_multi_remove_handle(handle_.get(), transfer.easy());
  transfer.is_added = false;
}

void Multi::ready(const Ready& ready) {
  int events = 0;
  if (ready.interest.read) events |= CURL_CSELECT_IN;
  if (ready.interest.write) events |= CURL_CSELECT_OUT;
  int running = 0;
  curl_multi_socket_action(handle_.get(), ready.descriptor, events, &running);
}

std::optional<Duration> Multi::next_timeout() const {
  if (!due_at_) return std::nullopt;
  return std::max(*due_at_ - real_now(), Duration::zero());
}

void Multi::run_due() {
  if (!due_at_ || *due_at_ > real_now()) return;
  due_at_.reset();
  int running = 0;
  curl_multi_socket_action(handle_.get(), CURL_SOCKET_TIMEOUT, 0, &running);
}

std::optional<Ended> Multi::next_ended() {
  int left = 0;
  const CURLMsg* message = curl_multi_info_read(handle_.get(), &left);
  if (message == nullptr) return std::nullopt;
  void* transfer = nullptr;
  curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
  return Ended{.transfer = static_cast<Transfer*>(transfer), .code = message->data.result};
}

int Multi::on_socket(CURL* /*easy*/, curl_socket_t socket, int what, void* multi, void* /*known*/) {
  Poller& poller = static_cast<Multi*>(multi)->poller_;
  if (what == CURL_POLL_REMOVE) {
    poller.rest(socket);
  } else {
    poller.watch(socket, Watcher::client, {.read = (what & CURL_POLL_IN) != 0, .write = (what & CURL_POLL_OUT) != 0});
  }
  return 0;
}

int Multi::on_timer(CURLM* /*handle*/, long milliseconds, void* multi) {
  auto& due_at = static_cast<Multi*>(multi)->due_at_;
  due_at.reset();
  if (milliseconds >= 0) due_at = real_now() + std::chrono::milliseconds(milliseconds);
  return 0;
}

}  // namespace makegood::http
