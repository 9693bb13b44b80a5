// A call that reached the test kit, and what it is answered.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace makegood::dev {

struct Request {
  std::string method;
  std::string path = {};                            ///< Without its query.
  std::string query = {};                           ///< Behind the `?`.
  std::map<std::string, std::string> headers = {};  ///< Names in lower case.
  std::string body = {};
};

struct Answer {
  int status = 200;
  std::string body = "{}";
  std::string content_type = "application/json";
  bool is_silent = false;   ///< Nothing is ever answered.
  bool is_dropped = false;  ///< The connection is closed instead.
};

}  // namespace makegood::dev
