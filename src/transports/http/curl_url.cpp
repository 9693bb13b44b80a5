#include "transports/http/curl_url.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <string_view>

namespace makegood::http {
namespace {

struct FreeText {
  void operator()(char* text) const noexcept { curl_free(text); }
};

/// Only what libcurl says about a part; it never quotes the part itself.
Result<> result_of(CURLUcode code) {
  if (code == CURLUE_OK) return {};
  if (code == CURLUE_USER_NOT_ALLOWED) {
    return Error{Errc::invalid, "The URL has a user or password in it: put credentials into `secret_headers`."};
  }
  return Error{Errc::invalid, fmt::format("The URL cannot be read: {}.", curl_url_strerror(code))};
}

}  // namespace

Result<CurlUrl> CurlUrl::from(const std::string& text) {
  CurlUrl url;
  if (!url.url_) return Error{Errc::internal, "There is no memory left to read a URL."};
  MAKEGOOD_TRY(result_of(curl_url_set(url.url_.get(), CURLUPART_URL, text.c_str(), CURLU_DISALLOW_USER)));
  return url;
}

std::string CurlUrl::get(CURLUPart part, unsigned flags) const {
  char* text = nullptr;
  if (curl_url_get(url_.get(), part, &text, flags) != CURLUE_OK) return {};
  const std::unique_ptr<char, FreeText> owned(text);
  return owned.get();
}

Result<> CurlUrl::set(CURLUPart part, const char* value) { return result_of(curl_url_set(url_.get(), part, value, 0)); }

}  // namespace makegood::http
