#include "transports/table.hpp"

#include <utility>

#ifdef MAKEGOOD_HAS_HTTP
#include "transports/http/kind.hpp"
#endif
#ifdef MAKEGOOD_HAS_KAFKA
#include "transports/kafka/kind.hpp"
#endif
#ifdef MAKEGOOD_HAS_NATS
#include "transports/nats/kind.hpp"
#endif
#ifdef MAKEGOOD_HAS_REDIS
#include "transports/redis/kind.hpp"
#include "transports/redis/text_cache.hpp"
#endif
#ifdef MAKEGOOD_HAS_AMQP
#include "transports/amqp/kind.hpp"
#endif

namespace makegood {

std::shared_ptr<Transports> new_transports([[maybe_unused]] const TransportOptions& options) {
  Transports::Kinds kinds;
#ifdef MAKEGOOD_HAS_HTTP
  kinds.push_back(http::new_kind(options.http));
#endif
#ifdef MAKEGOOD_HAS_KAFKA
  kinds.push_back(kafka::new_kind(options.brokers));
#endif
#ifdef MAKEGOOD_HAS_NATS
  kinds.push_back(nats::new_kind(options.brokers));
#endif
#ifdef MAKEGOOD_HAS_REDIS
  kinds.push_back(redis::new_kind(options.brokers));
#endif
#ifdef MAKEGOOD_HAS_AMQP
  kinds.push_back(amqp::new_kind(options.brokers));
#endif
  return std::make_shared<Transports>(std::move(kinds));
}

Result<std::unique_ptr<TextCache>> open_text_cache([[maybe_unused]] std::string_view url) {
#ifdef MAKEGOOD_HAS_REDIS
  return redis::new_text_cache(MAKEGOOD_TRY(redis::read_cache_address(url)));
#else
  return Error{Errc::invalid, "This program is built without Redis."};
#endif
}

std::shared_ptr<Transports> usual_transports() { return new_transports({}); }

}  // namespace makegood
