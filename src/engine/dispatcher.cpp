#include "makegood/dispatcher.hpp"

#include <utility>

#include "engine/owner_loop.hpp"
#include "engine/relayed_lane.hpp"

namespace makegood {

/// A lane and the loop that drives it.
class Dispatcher::Loop {
 public:
  Loop(std::unique_ptr<OutboxStore> store, std::vector<Transport*> transports, DispatcherOptions options,
       Observer* observer, const Clock& clock, Endpoints* endpoints)
      : lane(std::move(store), std::move(transports), std::move(options), observer, clock, wake_up, endpoints),
        owner(lane, wake_up, clock) {}

  engine::WakeUp wake_up;
  engine::RelayedLane lane;
  engine::OwnerLoop owner;  // Last: it uses the others until it ends.
};

Dispatcher::Dispatcher(std::unique_ptr<OutboxStore> store, std::vector<Transport*> transports,
                       DispatcherOptions options, Observer* observer, const Clock& clock, Endpoints* endpoints)
    : loop_(std::make_unique<Loop>(std::move(store), std::move(transports), std::move(options), observer, clock,
                                   endpoints)) {}

Dispatcher::~Dispatcher() = default;
Dispatcher::Dispatcher(Dispatcher&&) noexcept = default;
Dispatcher& Dispatcher::operator=(Dispatcher&&) noexcept = default;

void Dispatcher::start() { loop_->owner.start(); }
void Dispatcher::stop(Duration grace) { loop_->owner.stop(grace); }
bool Dispatcher::run_once(MonotonicTime deadline) { return loop_->owner.run_once(deadline); }
int Dispatcher::wake_descriptor() const { return loop_->owner.wake_descriptor(); }
MonotonicTime Dispatcher::next_wake() const { return loop_->owner.next_wake(); }
void Dispatcher::wake() { loop_->wake_up.wake(); }

void Dispatcher::reconfigure(DispatcherOptions options) {
  loop_->lane.reconfigure(std::move(options));
  loop_->wake_up.wake();
}

}  // namespace makegood
