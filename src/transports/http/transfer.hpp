// One request under way: an easy handle of libcurl, what it sends and what it has received. Used again and again,
// because making one costs more than a request: only what differs from the request before is set.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "makegood/delivery.hpp"
#include "transports/http/channel.hpp"
#include "transports/http/curl_handles.hpp"
#include "transports/http/failure.hpp"
#include "transports/http/request.hpp"
#include "transports/http/response.hpp"
#include "transports/net/poller.hpp"

namespace makegood::http {

/// What all transfers of a loop share; outlives them.
struct TransferWorld {
  const HttpOptions& options;
  const Guard& guard;
  Poller& poller;
};

class Transfer {
 public:
  explicit Transfer(const TransferWorld& world);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  /// Takes the delivery over; its request follows.
  void load(Sending sending, Channel& channel, TargetPtr target);
  void load(Request request) { request_ = std::move(request); }
  /// Empty, with the memory of the request before.
  HeaderLines spare_lines() { return std::move(request_.headers); }
  /// The only address that libcurl may connect to.
  void aim_at(const Address& address);
  /// Sets what has changed. What is left until the deadline counts from here.
  void prepare(MonotonicTime now);
  /// Lets go of everything that belongs to the delivery.
  void unload();

  Failure failure(CURLcode code) const;
  /// What came of it, in one line for operators.
  Reply reply(CURLcode code, TimePoint now) const;
  /// A sentence about this request.
  std::string about(std::string_view what) const;

  bool is_of(const Completions& done) const { return sending_.done == &done; }
  /// Nobody wants to know what comes of it.
  void disown() { sending_.done = nullptr; }
  bool is_disowned() const { return sending_.done == nullptr; }

  CURL* easy() const { return easy_.get(); }
  Channel& channel() const { return *channel_; }
  const Sending& sending() const { return sending_; }
  const Url& url() const { return *request_.url; }
  const Target& target() const { return *target_; }
  const Address& address() const { return address_; }

  // For the client.
  bool is_added = false;             ///< To libcurl; before that, its host is being looked up.
  std::size_t place = 0;             ///< Where it stands among those under way.
  std::size_t addresses_count = 0;   ///< Of its name, when it was last looked up.
  std::size_t addresses_failed = 0;  ///< How many of them this attempt could not connect to.

 private:
  template <class Value>
  void set(CURLoption option, Value value);
  void set_constants();
  void set_limits();
  void set_callbacks();
  void set_target();
  void set_tls();
  void set_url();
  void set_headers();
  void set_body();
  void watch_speed();

  bool take_header(std::string_view line);
  curl_socket_t open_socket(const curl_sockaddr& address) const;
  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* transfer);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* transfer);
  static int on_leaving(void* transfer, char* address, char* from, int port, int from_port);
  static curl_socket_t on_open(void* transfer, curlsocktype purpose, curl_sockaddr* address);
  static int on_close(void* poller, curl_socket_t socket);

  // Constant after construction.
  const TransferWorld& world_;
  EasyHandle easy_;
  std::string system_ca_file_;
  std::string system_ca_path_;

  // Of the request. libcurl reads its texts in place.
  Sending sending_;
  Channel* channel_ = nullptr;
  TargetPtr target_;
  Request request_;
  std::vector<curl_slist> header_list_;
  Address address_;
  std::uint16_t port_ = 0;
  std::string pin_text_;
  curl_slist pin_ = {};

  // What the handle is set to.
  TargetPtr set_target_;
  std::string set_url_;
  bool has_own_tls_ = false;

  Response response_;
  bool is_too_late_ = false;  ///< Its lease was over when its connection was ready; nothing has left.
  std::array<char, CURL_ERROR_SIZE> error_text_ = {};
};

}  // namespace makegood::http
