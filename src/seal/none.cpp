// A library that was built without seals.
#include "makegood/idempotency.hpp"

namespace makegood {

Result<std::shared_ptr<const Seal>> read_seal(const std::string& /*file*/) {
  return Error{Errc::config_invalid, "This library was built without seals; build it with MAKEGOOD_SEAL=ON."};
}

Result<std::shared_ptr<const Seal>> parse_seal(std::string_view /*text*/, std::string_view origin) {
  return read_seal(std::string(origin));
}

}  // namespace makegood
