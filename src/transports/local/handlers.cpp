// In-process delivery: the functions of this program as destinations, run by a pool of threads.
#include <memory>
#include <utility>

#include "makegood/handlers.hpp"
#include "transports/local/pool.hpp"

namespace makegood {
namespace {

/// How long handlers may still run when nobody has stopped the transport before its end.
constexpr Duration farewell = std::chrono::seconds(5);

}  // namespace

class Handlers::Pool final : public local::Pool {
  using local::Pool::Pool;
};

Handlers::Handlers(HandlersOptions options) : pool_(std::make_shared<Pool>(options)) {}

Handlers::~Handlers() {
  if (pool_) pool_->stop(farewell);
}

Handlers::Handlers(Handlers&&) noexcept = default;

Handlers& Handlers::operator=(Handlers&& other) noexcept {
  if (this == &other) return *this;
  if (pool_) pool_->stop(farewell);
  pool_ = std::move(other.pool_);
  return *this;
}

Handlers& Handlers::on(const std::string& pattern, const std::string& name, Handler handler, Destination settings) {
  pool_->registration().add(pattern, name, std::move(handler), std::move(settings));
  return *this;
}

Handlers& Handlers::answer(const std::string& name, Responder responder, Destination settings) {
  pool_->registration().add("*", name, std::move(responder), std::move(settings));
  return *this;
}

std::stop_token current_step_stop_token() { return local::stop_token_of_this_thread(); }

Transport& Handlers::transport() { return *pool_; }
std::vector<Destination> Handlers::destinations() const { return pool_->routes().destinations(); }
std::vector<Route> Handlers::routes() const { return pool_->routes().routes(); }

}  // namespace makegood
