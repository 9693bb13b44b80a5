#include "stores/postgres/url.hpp"

#include <libpq-fe.h>

#include <memory>

namespace makegood::postgres {
namespace {

struct FreeUrlOptions {
  void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};

using UrlOptions = std::unique_ptr<PQconninfoOption, FreeUrlOptions>;

UrlOptions options_of(const std::string& url) { return UrlOptions(PQconninfoParse(url.c_str(), nullptr)); }

Error unreadable_url() {
  return {Errc::invalid,
          "The URL of the server cannot be read; a password with %, /, @, : or ? in it must be percent-encoded, and "
          "parameters must be those that libpq knows."};
}

}  // namespace

Result<> check_url(const std::string& url) {
  if (options_of(url) == nullptr) return unreadable_url();
  return {};
}

Result<UrlParts> parts_of(const std::string& url) {
  const UrlOptions options = options_of(url);
  if (options == nullptr) return unreadable_url();
  UrlParts parts;
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr) parts.emplace(option->keyword, option->val);
  }
  return parts;
}

}  // namespace makegood::postgres
