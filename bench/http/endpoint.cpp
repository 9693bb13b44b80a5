#include "bench/http/endpoint.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <sstream>

#include "makegood/spi/assert.hpp"

namespace makegood::bench {
namespace {

Child start_sink(std::size_t hosts) {
  auto sink = Child::start({beside_this_program("makegood-bench-sink").string(), std::to_string(hosts)});
  MAKEGOOD_ASSERT(sink.has_value());
  return std::move(*sink);
}

std::size_t append(const char* bytes, std::size_t size, std::size_t count, void* text) {
  static_cast<std::string*>(text)->append(bytes, size * count);
  return size * count;
}

std::string get(const std::string& url) {
  const std::unique_ptr<CURL, decltype(&curl_easy_cleanup)> easy(curl_easy_init(), &curl_easy_cleanup);
  std::string body;
  curl_easy_setopt(easy.get(), CURLOPT_URL, url.c_str());
  curl_easy_setopt(easy.get(), CURLOPT_PROXY, "");
  curl_easy_setopt(easy.get(), CURLOPT_WRITEFUNCTION, &append);
  curl_easy_setopt(easy.get(), CURLOPT_WRITEDATA, &body);
  MAKEGOOD_ASSERT(curl_easy_perform(easy.get()) == CURLE_OK);
  return body;
}

}  // namespace

Endpoint::Endpoint(std::size_t hosts)
    : sink_(start_sink(hosts)), port_(static_cast<std::uint16_t>(std::stoi(sink_.read_line()))) {}

/// 127.0.0.1 and upwards, as the sink listens.
std::string Endpoint::url(std::string_view path, std::size_t host) const {
  const std::size_t last = host + 1;
  return fmt::format("http://127.0.{}.{}:{}{}", last / 256, last % 256, port_, path);
}

std::vector<Arrival> Endpoint::arrivals() const {
  std::istringstream lines(get(url("/arrivals")));
  std::vector<Arrival> arrivals;
  std::string event_id;
  for (std::int64_t at = 0; lines >> event_id >> at;)
    arrivals.push_back({.event_id = event_id, .at = MonotonicTime(Duration(at))});
  return arrivals;
}

}  // namespace makegood::bench
