#include "dev/callbacks.hpp"

#include <curl/curl.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace makegood::dev {
namespace {

constexpr long patience_ms = 5000;

std::size_t ignore(char* /*bytes*/, std::size_t size, std::size_t count, void* /*user*/) { return size * count; }

void post(const std::string& url, const std::string& body) {
  const std::unique_ptr<CURL, void (*)(CURL*)> curl(curl_easy_init(), curl_easy_cleanup);
  const std::unique_ptr<curl_slist, void (*)(curl_slist*)> headers(
      curl_slist_append(nullptr, "Content-Type: application/json"), curl_slist_free_all);
  curl_easy_setopt(curl.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl.get(), CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
  curl_easy_setopt(curl.get(), CURLOPT_POSTFIELDS, body.data());
  curl_easy_setopt(curl.get(), CURLOPT_TIMEOUT_MS, patience_ms);
  curl_easy_setopt(curl.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl.get(), CURLOPT_WRITEFUNCTION, ignore);
  curl_easy_perform(curl.get());
}

}  // namespace

Callbacks::Callbacks() : thread_([this](const std::stop_token& stop) { run(stop); }) {}

void Callbacks::add(std::string url, std::string body, std::chrono::milliseconds after) {
  const std::scoped_lock lock(mutex_);
  waiting_.push_back({std::chrono::steady_clock::now() + after, std::move(url), std::move(body)});
  added_.notify_one();
}

void Callbacks::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    const auto next = std::ranges::min_element(waiting_, {}, &Callback::at);
    if (next == waiting_.end()) {
      added_.wait(lock, stop, [this] { return !waiting_.empty(); });
    } else if (const RealTime at = next->at; std::chrono::steady_clock::now() < at) {
      added_.wait_until(lock, stop, at, [this, at] {
        return std::ranges::any_of(waiting_, [at](const Callback& other) { return other.at < at; });
      });
    } else {
      const Callback due = std::move(*next);
      waiting_.erase(next);
      lock.unlock();
      post(due.url, due.body);
      lock.lock();
    }
  }
}

}  // namespace makegood::dev
