#include "bench/draining.hpp"

#include "bench/finish.hpp"
#include "bench/process.hpp"
#include "makegood/assert.hpp"
#include "makegood/registry.hpp"

namespace makegood::bench {

double drain_to_handler(const Scratch& scratch, std::size_t count) {
  Finish finish(count);
  Handlers handlers;
  handlers.on("bench.*", "nothing", [](const Delivery&) { return Outcome::ok(); });
  auto dispatcher = open_dispatcher(scratch.url(), handlers, {}, &finish);
  MAKEGOOD_ASSERT(dispatcher.has_value());
  const auto began = system_clock().monotonic();
  dispatcher->start();
  finish.wait();
  dispatcher->stop();
  return static_cast<double>(count) / seconds_since(began);
}

}  // namespace makegood::bench
