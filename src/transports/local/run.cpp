#include "transports/local/run.hpp"

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

#include "base/utf8.hpp"
#include "makegood/result.hpp"

namespace makegood::local {
namespace {

constexpr std::size_t detail_bytes_max = 2048;

Outcome thrown(std::string_view what) {
  return Outcome::retry(std::string(to_string(Errc::internal)), std::string(cut(what, detail_bytes_max)));
}

}  // namespace

Outcome run(const HandlerRoutes& routes, const Delivery& delivery) {
  const Handler* handler = routes.find(delivery.destination->name, delivery.message->topic);
  if (handler == nullptr) {
    return Outcome::fail(std::string(to_string(Errc::no_route)), "No handler is registered for this destination.");
  }
  try {
    return (*handler)(delivery);
  } catch (const std::exception& error) {
    return thrown(error.what());
  } catch (...) {
    return thrown("The handler threw something that is not a std::exception.");
  }
}

}  // namespace makegood::local
