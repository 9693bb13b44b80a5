#include "makegood/dispatcher.hpp"

#include <utility>

#include "engine/loop.hpp"

namespace makegood {

Dispatcher::Dispatcher(std::unique_ptr<OutboxStore> store, std::vector<Transport*> transports,
                       DispatcherOptions options, Observer* observer, const Clock& clock)
    : loop_(std::make_unique<Loop>(std::move(store), std::move(transports), std::move(options), observer, clock)) {}

Dispatcher::~Dispatcher() = default;
Dispatcher::Dispatcher(Dispatcher&&) noexcept = default;
Dispatcher& Dispatcher::operator=(Dispatcher&&) noexcept = default;

void Dispatcher::start() { loop_->start(); }
void Dispatcher::stop(Duration grace) { loop_->stop(grace); }
bool Dispatcher::run_once(MonotonicTime deadline) { return loop_->run_once(deadline); }
int Dispatcher::wake_descriptor() const { return loop_->wake_descriptor(); }
MonotonicTime Dispatcher::next_wake() const { return loop_->next_wake(); }
void Dispatcher::wake() { loop_->wake(); }
void Dispatcher::reconfigure(DispatcherOptions options) { loop_->reconfigure(std::move(options)); }

}  // namespace makegood
