#include "tests/integration/http_zoo/relay_at_the_zoo.hpp"

namespace makegood {

void Ends::attempts_ended(std::string_view /*outbox*/, std::span<const EndedAttempt> deliveries) {
  const std::lock_guard lock(mutex_);
  for (const EndedAttempt& settled : deliveries) ++counts_[{settled.destination->name, settled.fate}];
  changed_.notify_all();
}

bool Ends::await(const std::string& destination, Fate fate, std::size_t count, std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, limit, [&] { return counts_[{destination, fate}] >= count; });
}

std::size_t Ends::count(const std::string& destination, Fate fate) {
  const std::lock_guard lock(mutex_);
  return counts_[{destination, fate}];
}

void RelayAtTheZoo::add(const std::string& name, const std::string& animal, const Destination& others) {
  add(name, settings_for(animal), others);
}

void RelayAtTheZoo::add(const std::string& name, const HttpSettings& settings, const Destination& others) {
  dispatcher_options_.destinations.push_back(value_of(http_destination(name, settings, others)));
  route(name + ".*", name);
}

void RelayAtTheZoo::enqueue(const std::vector<NewMessage>& messages) {
  value_of(value_of(open_store(url_, "makegood_outbox"))->enqueue(messages));
}

void RelayAtTheZoo::start_relay() {
  relay_ = std::make_unique<Dispatcher>(value_of(open_store(url_, "makegood_outbox")),
                                        std::vector<Transport*>{&transport()}, dispatcher_options_, &ends_);
  relay_->start();
}

std::vector<DeadLetter> RelayAtTheZoo::dead_letters() {
  return value_of(value_of(open_outbox_view(url_, "makegood_outbox"))->list_dead({}, {}, 100));
}

}  // namespace makegood
