// What it means that no answer came.
#pragma once

#include <curl/curl.h>

#include <string_view>

#include "makegood/delivery.hpp"

namespace makegood::http {

struct Failure {
  CURLcode code = CURLE_OK;
  bool has_left = false;         ///< At least a part of the request: nobody can tell whether it arrived.
  std::string_view reason = {};  ///< libcurl's own words about connections and certificates.
};

/// Whether the request may have arrived is in the detail, too.
Reply reply_of(const Failure& failure);

/// Another address of the same name may do better.
bool is_of_the_address(const Failure& failure);

}  // namespace makegood::http
