#include "transports/local/run.hpp"

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

#include "makegood/result.hpp"

namespace makegood::local {
namespace {

constexpr std::size_t detail_bytes_max = 2048;

/// Cuts before the character that would not fit, never through it.
std::string cut(std::string_view text) {
  if (text.size() <= detail_bytes_max) return std::string(text);
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  std::size_t end = detail_bytes_max;
  while (end > 0 && continues(text[end])) --end;
  return std::string(text.substr(0, end));
}

Outcome thrown(std::string_view what) { return Outcome::retry(std::string(to_string(Errc::internal)), cut(what)); }

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
