#include "transports/table.hpp"

#include <utility>

#ifdef MAKEGOOD_HAS_HTTP
#include "transports/http/kind.hpp"
#endif

namespace makegood {

std::shared_ptr<Transports> new_transports([[maybe_unused]] const TransportOptions& options) {
  Transports::Kinds kinds;
#ifdef MAKEGOOD_HAS_HTTP
  kinds.push_back(http::new_kind(options.http));
#endif
  return std::make_shared<Transports>(std::move(kinds));
}

std::shared_ptr<Transports> usual_transports() { return new_transports({}); }

}  // namespace makegood
