// The URL parser of libcurl, in one type. No other file calls it.
#pragma once

#include <curl/urlapi.h>

#include <memory>
#include <string>

#include "makegood/result.hpp"

namespace makegood::http {

class CurlUrl {
 public:
  /// http and https only, without user and password. The error does not repeat the text.
  static Result<CurlUrl> from(const std::string& text);

  /// Empty when there is none.
  std::string get(CURLUPart part, unsigned flags = 0) const;
  /// A null pointer takes the part out.
  Result<> set(CURLUPart part, const char* value);

 private:
  struct CloseUrl {
    void operator()(CURLU* url) const noexcept { curl_url_cleanup(url); }
  };
  CurlUrl() : url_(curl_url()) {}

  std::unique_ptr<CURLU, CloseUrl> url_;
};

}  // namespace makegood::http
