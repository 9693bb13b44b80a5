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

/// A message counts as answered, because nobody else will ever be there. A step was certainly not done, and waits:
/// another node may have its function.
Reply nobody_answers(const Delivery& delivery) {
  const std::string code(to_string(Errc::no_route));
  if (delivery.call != nullptr) return Reply::unreachable(code, "This node has no function of this name.");
  return Reply::said(Outcome::fail(code, "No handler is registered for this destination."));
}

}  // namespace

Reply run(const HandlerRoutes& routes, const Delivery& delivery) {
  if (!delivery.may_leave()) return Reply::withheld();
  const Responder* responder = routes.find(delivery.destination->name, delivery.message->topic);
  if (responder == nullptr) return nobody_answers(delivery);
  try {
    return (*responder)(delivery);
  } catch (const std::exception& error) {
    return Reply::said(thrown(error.what()));
  } catch (...) {
    return Reply::said(thrown("The handler threw something that is not a std::exception."));
  }
}

}  // namespace makegood::local
