// The handles of libcurl, each released when its owner goes.
#pragma once

#include <curl/curl.h>

#include <memory>

namespace makegood::http {

struct CleanUpEasy {
  void operator()(CURL* easy) const noexcept { curl_easy_cleanup(easy); }
};
using EasyHandle = std::unique_ptr<CURL, CleanUpEasy>;

struct CleanUpMulti {
  void operator()(CURLM* multi) const noexcept { curl_multi_cleanup(multi); }
};
using MultiHandle = std::unique_ptr<CURLM, CleanUpMulti>;

}  // namespace makegood::http
