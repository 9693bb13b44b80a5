#include "stores/postgres/url.hpp"

#include <libpq-fe.h>

#include <memory>

namespace makegood::postgres {
namespace {

struct FreeUrlOptions {
  void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};

}  // namespace

Result<> check_url(const std::string& url) {
  const std::unique_ptr<PQconninfoOption, FreeUrlOptions> options(PQconninfoParse(url.c_str(), nullptr));
  if (options != nullptr) return {};
  return Error{
      Errc::invalid,
      "The URL of the server cannot be read; a password with %, /, @, : or ? in it must be percent-encoded, and "
      "parameters must be those that libpq knows."};
}

}  // namespace makegood::postgres
