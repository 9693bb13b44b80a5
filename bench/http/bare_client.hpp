// The limit: what libcurl does with the same requests and as many in flight, and nothing around it.
#pragma once

#include <curl/curl.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace makegood::bench {

/// One thread, one multi handle driven by epoll, easy handles and connections that are kept.
class BareClient {
 public:
  BareClient(std::string url, std::size_t in_flight);
  ~BareClient();
  BareClient(const BareClient&) = delete;
  BareClient& operator=(const BareClient&) = delete;

  /// Sends the message of the benchmarks this many times; returns when the last one is answered.
  void send(std::size_t count);

 private:
  struct CleanEasy {
    void operator()(CURL* easy) const noexcept { curl_easy_cleanup(easy); }
  };
  struct CleanMulti {
    void operator()(CURLM* multi) const noexcept { curl_multi_cleanup(multi); }
  };
  struct FreeList {
    void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
  };
  using Clock = std::chrono::steady_clock;

  CURL* new_easy();
  void drive();
  void take_answers();
  int wait_milliseconds() const;
  static int on_socket(CURL*, curl_socket_t socket, int what, void* self, void*);
  static int on_timer(CURLM*, long milliseconds, void* self);

  std::string url_;
  std::string body_;
  int epoll_;
  std::unique_ptr<curl_slist, FreeList> headers_;
  std::unique_ptr<CURLM, CleanMulti> multi_;
  std::vector<std::unique_ptr<CURL, CleanEasy>> easies_;
  std::vector<CURL*> idle_;
  std::vector<std::uint32_t> watched_;    ///< By socket: for what.
  std::optional<Clock::time_point> due_;  ///< When libcurl wants to be called although no socket is ready.
  std::size_t to_send_ = 0;
  std::size_t to_answer_ = 0;
};

/// Several of them, each on a thread of its own with its share of what is in flight.
class BareClients {
 public:
  BareClients(const std::string& url, std::size_t in_flight, std::size_t threads);
  void send(std::size_t count);

 private:
  std::vector<std::unique_ptr<BareClient>> clients_;
};

}  // namespace makegood::bench
