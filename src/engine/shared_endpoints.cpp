#include "engine/shared_endpoints.hpp"

#include <memory>
#include <mutex>

namespace makegood {
namespace {

class Mutex final : public core::Lock {
 public:
  void lock() override { mutex_.lock(); }
  void unlock() override { mutex_.unlock(); }

 private:
  std::mutex mutex_;
};

std::unique_ptr<core::Lock> new_mutex() { return std::make_unique<Mutex>(); }

}  // namespace

namespace engine {

core::Sharing sharing(Endpoints* endpoints) {
  if (endpoints == nullptr) return {};
  return {.endpoints = &endpoints->shared().endpoints};
}

core::Sharing sharing(Endpoints* endpoints, core::Waker& waker) {
  core::Sharing sharing = engine::sharing(endpoints);
  sharing.waker = &waker;
  return sharing;
}

}  // namespace engine

Endpoints::Shared::Shared() : endpoints(new_mutex) {}

Endpoints::Endpoints() : shared_(std::make_unique<Shared>()) {}
Endpoints::~Endpoints() = default;

}  // namespace makegood
