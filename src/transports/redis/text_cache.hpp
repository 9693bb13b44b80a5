// A Redis server as a place for texts.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/text_cache.hpp"

namespace makegood::redis {

struct CacheAddress {
  std::string host = {};
  std::string port = "6379";
  std::string user = {};
  std::string password = {};
  std::string database = "0";
};
/// `redis://[USER[:PASSWORD]@]HOST[:PORT][/DATABASE]`. Errc::invalid.
Result<CacheAddress> read_cache_address(std::string_view url);

/// It is connected to with the first text, and again after every failure.
std::unique_ptr<TextCache> new_text_cache(CacheAddress address);

}  // namespace makegood::redis
