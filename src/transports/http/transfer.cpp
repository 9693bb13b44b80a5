#include "transports/http/transfer.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <span>
#include <utility>

namespace makegood::http {

void Transfer::load(Sending sending, Channel& channel, TargetPtr target) {
  sending_ = std::move(sending);
  channel_ = &channel;
  target_ = std::move(target);
  addresses_failed = 0;
}

void Transfer::unload() {
  sending_ = {};
  channel_ = nullptr;
  request_.headers.clear();
  request_ = {.headers = spare_lines()};
}

// What came of it
// --------------------------------------------------------------------------------------------------------------------

Failure Transfer::failure(CURLcode code) const {
  long sent_bytes = 0;
  curl_easy_getinfo(easy(), CURLINFO_REQUEST_SIZE, &sent_bytes);
  return {.code = code, .has_left = sent_bytes > 0, .reason = error_text_.data()};
}

Reply Transfer::reply(CURLcode code, TimePoint now) const {
  if (is_too_late_) return Reply::withheld();
  Reply reply = response_.is_answered() ? reply_of(response_.status(), response_.retry_after(), target_->answers, now)
                                        : reply_of(failure(code));
  if (!reply.detail.empty()) reply.detail = about(reply.detail);
  if (response_.is_answered()) reply.content = response_.content();
  return reply;
}

std::string Transfer::about(std::string_view what) const { return fmt::format("{}: {}", shown(*request_.url), what); }

// Callbacks
// --------------------------------------------------------------------------------------------------------------------

bool Transfer::take_header(std::string_view line) {
  long status = 0;
  curl_easy_getinfo(easy(), CURLINFO_RESPONSE_CODE, &status);
  // Behind an announcement (1xx) the endpoint may still think.
  if (!response_.has_final_begun() && status >= first_final_status) watch_speed();
  return response_.take_header(line, static_cast<int>(status));
}

std::size_t Transfer::on_header(char* data, std::size_t size, std::size_t count, void* transfer) {
  const std::size_t bytes = size * count;
  return static_cast<Transfer*>(transfer)->take_header({data, bytes}) ? bytes : CURL_WRITEFUNC_ERROR;
}

std::size_t Transfer::on_body(char* data, std::size_t size, std::size_t count, void* transfer) {
  const std::size_t bytes = size * count;
  return static_cast<Transfer*>(transfer)->response_.take_body({data, bytes}) ? bytes : CURL_WRITEFUNC_ERROR;
}

/// Its connection is ready, which may have taken long: the last moment to ask.
int Transfer::on_leaving(void* transfer, char* /*address*/, char* /*from*/, int /*port*/, int /*from_port*/) {
  auto& self = *static_cast<Transfer*>(transfer);
  self.is_too_late_ = !self.sending_.delivery.may_leave();
  return self.is_too_late_ ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

/// The address was checked before. Here it is seen to be the one, whatever libcurl made of a literal or of its pin.
curl_socket_t Transfer::open_socket(const curl_sockaddr& address) const {
  const auto actual = address_of(address.addr);
  if (!actual || *actual != address_) return CURL_SOCKET_BAD;
  if (!world_.guard.check(std::span(&*actual, 1), target_->trust)) return CURL_SOCKET_BAD;
  return ::socket(address.family, address.socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, address.protocol);
}

curl_socket_t Transfer::on_open(void* transfer, curlsocktype /*purpose*/, curl_sockaddr* address) {
  return static_cast<const Transfer*>(transfer)->open_socket(*address);
}

int Transfer::on_close(void* poller, curl_socket_t socket) {
  static_cast<Poller*>(poller)->forget(socket);
  return ::close(socket);
}

}  // namespace makegood::http
