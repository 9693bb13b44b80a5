// How a transfer tells libcurl what it is to do, and what it must never do.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "makegood/spi/assert.hpp"
#include "transports/http/transfer.hpp"

namespace makegood::http {
namespace {

/// Answers are small; libcurl's own 16 KiB for each of thousands are not.
constexpr long receive_buffer_bytes = 4096;
constexpr long keep_alive_seconds = 60;

/// libcurl would ask large requests' permission first and wait a second for it.
char no_expect[] = "Expect:";

long milliseconds_of(Duration duration) {
  return std::max<long>(1, std::chrono::ceil<std::chrono::milliseconds>(duration).count());
}

std::string text_info(CURL* easy, CURLINFO info) {
  const char* text = nullptr;
  curl_easy_getinfo(easy, info, &text);
  return text == nullptr ? std::string() : std::string(text);
}

const char* text_or_null(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

bool has_tls_files(const HttpSettings& settings) {
  return !settings.ca_file.empty() || !settings.client_certificate.empty() || !settings.client_key.empty();
}

long http_version(const HttpSettings& settings, bool is_https) {
  switch (settings.version) {
    case HttpSettings::Version::automatic:
      return CURL_HTTP_VERSION_2TLS;
    case HttpSettings::Version::http1:
      return CURL_HTTP_VERSION_1_1;
    case HttpSettings::Version::http2:
      return is_https ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE;
  }
  std::unreachable();
}

/// Worth waiting for the first connection to a host, since all may share it.
bool may_share_a_connection(const HttpSettings& settings, bool is_https) {
  switch (settings.version) {
    case HttpSettings::Version::automatic:
      return is_https;
    case HttpSettings::Version::http1:
      return false;
    case HttpSettings::Version::http2:
      return true;
  }
  std::unreachable();
}

}  // namespace

template <class Value>
void Transfer::set(CURLoption option, Value value) {
  const CURLcode code = curl_easy_setopt(easy_.get(), option, value);
  MAKEGOOD_ASSERT(code == CURLE_OK);
}

Transfer::Transfer(const TransferWorld& world)
    : world_(world), easy_(curl_easy_init()), response_(world.options.response_bytes_max) {
  MAKEGOOD_ASSERT(easy_ != nullptr);
  system_ca_file_ = text_info(easy(), CURLINFO_CAINFO);
  system_ca_path_ = text_info(easy(), CURLINFO_CAPATH);
  set_constants();
  set_limits();
  set_callbacks();
}

void Transfer::set_constants() {
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_POST, 1L);
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_PROXY, "");  // Not even one of the environment: the checked address is the connected one.
  set(CURLOPT_NOPROXY, "*");
  set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  set(CURLOPT_SSL_VERIFYPEER, 1L);
  set(CURLOPT_SSL_VERIFYHOST, 2L);
  set(CURLOPT_TCP_NODELAY, 1L);
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_TCP_KEEPIDLE, keep_alive_seconds);
  set(CURLOPT_TCP_KEEPINTVL, keep_alive_seconds);
}

void Transfer::set_limits() {
  set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds_of(world_.options.connect_timeout));
  set(CURLOPT_BUFFERSIZE, receive_buffer_bytes);
}

void Transfer::set_callbacks() {
  set(CURLOPT_PRIVATE, static_cast<void*>(this));
  set(CURLOPT_ERRORBUFFER, error_text_.data());
  set(CURLOPT_HEADERFUNCTION, &on_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &on_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(CURLOPT_PREREQFUNCTION, &on_leaving);
  set(CURLOPT_PREREQDATA, static_cast<void*>(this));
  set(CURLOPT_OPENSOCKETFUNCTION, &on_open);
  set(CURLOPT_OPENSOCKETDATA, static_cast<void*>(this));
  set(CURLOPT_CLOSESOCKETFUNCTION, &on_close);
  set(CURLOPT_CLOSESOCKETDATA, static_cast<void*>(&world_.poller));
}

void Transfer::aim_at(const Address& address) {
  const Url& url = *request_.url;
  const bool is_same = address == address_ && url.port == port_ && url.literal.has_value() == pin_text_.empty();
  if (is_same) return;
  address_ = address;
  port_ = url.port;
  // Where the URL says the address itself, there is nothing to pin, and libcurl need not read the pin each time.
  pin_text_.clear();
  if (!url.literal) {
    pin_text_ = fmt::format(fmt::runtime(address.is_v6 ? "::[{}]:{}" : "::{}:{}"), to_string(address), port_);
  }
  pin_ = {.data = pin_text_.data(), .next = nullptr};
  set(CURLOPT_CONNECT_TO, pin_text_.empty() ? nullptr : &pin_);
}

void Transfer::prepare(MonotonicTime now) {
  response_.clear(sending_.delivery.answer_bytes_max);
  is_too_late_ = false;
  error_text_.front() = '\0';
  set_target();
  set_url();
  set_headers();
  set_body();
  set(CURLOPT_TIMEOUT_MS, milliseconds_of(sending_.deadline - now));
  set(CURLOPT_LOW_SPEED_LIMIT, 0L);
}

void Transfer::set_target() {
  if (set_target_ == target_ && target_->url != nullptr) return;
  set_target_ = target_;
  const bool is_https = request_.url->is_https;
  set(CURLOPT_HTTP_VERSION, http_version(target_->settings, is_https));
  set(CURLOPT_PIPEWAIT, may_share_a_connection(target_->settings, is_https) ? 1L : 0L);
  if (has_own_tls_ || has_tls_files(target_->settings)) set_tls();
}

void Transfer::set_tls() {
  const HttpSettings& settings = target_->settings;
  const bool is_system = settings.ca_file.empty();
  set(CURLOPT_CAINFO, text_or_null(is_system ? system_ca_file_ : settings.ca_file));
  set(CURLOPT_CAPATH, is_system ? text_or_null(system_ca_path_) : nullptr);
  set(CURLOPT_SSLCERT, text_or_null(settings.client_certificate));
  set(CURLOPT_SSLKEY, text_or_null(settings.client_key));
  has_own_tls_ = has_tls_files(settings);
}

void Transfer::set_url() {
  if (set_url_ == request_.url->text) return;
  set_url_ = request_.url->text;
  set(CURLOPT_URL, set_url_.c_str());
}

/// A list of libcurl's form over our own texts: it only reads them.
void Transfer::set_headers() {
  header_list_.clear();
  request_.headers.for_each([&](char* line) { header_list_.push_back({.data = line, .next = nullptr}); });
  header_list_.push_back({.data = no_expect, .next = nullptr});
  for (std::size_t i = 1; i < header_list_.size(); ++i) header_list_[i - 1].next = &header_list_[i];
  set(CURLOPT_HTTPHEADER, header_list_.data());
}

/// Only once the final answer has begun: an endpoint may take its time, up to the deadline, but not to spell the answer
/// out.
void Transfer::watch_speed() {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(world_.options.slow_after);
  set(CURLOPT_LOW_SPEED_LIMIT, static_cast<long>(world_.options.slow_bytes_per_second));
  set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(seconds.count()));
}

void Transfer::set_body() {
  // Without an address libcurl would ask a callback for the body, an empty one too.
  set(CURLOPT_POSTFIELDS, request_.body.empty() ? "" : request_.body.data());
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
}

}  // namespace makegood::http
