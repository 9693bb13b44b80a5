#include "tests/conformance/transports/local_under_test.hpp"

#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "makegood/handlers.hpp"

namespace makegood::conformance {
namespace {

/// What the handlers share with the test. They hold it themselves, because one that hangs may outlive the test.
class Record {
 public:
  void arrived(const Delivery& delivery) {
    const std::lock_guard lock(mutex_);
    received_.push_back({.destination = delivery.destination->name,
                         .texts = testing_support::texts_of(*delivery.message),
                         .sequence = delivery.message->sequence,
                         .attempt = delivery.attempt,
                         .outbox = std::string(delivery.outbox)});
    changed_.notify_all();
  }
  void hang() {
    std::unique_lock lock(mutex_);
    ++hanging_count_;
    changed_.wait(lock, [this] { return is_released_; });
    --hanging_count_;
    changed_.notify_all();
  }
  void release() {
    std::unique_lock lock(mutex_);
    is_released_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return hanging_count_ == 0; });
  }
  bool await_received(std::size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, testing_support::patience_max, [&] { return received_.size() >= count; });
  }
  std::vector<Received> received() {
    const std::lock_guard lock(mutex_);
    return received_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Received> received_;
  std::size_t hanging_count_ = 0;
  bool is_released_ = false;
};

Outcome later(Outcome outcome, const Behaviour& behaviour) {
  outcome.retry_after = behaviour.retry_after;
  return outcome;
}

Outcome behave(const Behaviour& behaviour, Record& record) {
  switch (behaviour.kind) {
    case Behaviour::Kind::ok:
      return Outcome::ok();
    case Behaviour::Kind::retry:
      return later(Outcome::retry(behaviour.code), behaviour);
    case Behaviour::Kind::busy:
      return later(Outcome::unreachable(behaviour.code), behaviour);
    case Behaviour::Kind::fail:
      return Outcome::fail(behaviour.code);
    case Behaviour::Kind::gone:
      return Outcome::gone(behaviour.code);
    case Behaviour::Kind::hang:
      record.hang();
      return Outcome::ok();
    case Behaviour::Kind::crash:
      throw std::runtime_error("broken");
  }
  std::unreachable();
}

class LocalUnderTest final : public TransportUnderTest {
 public:
  explicit LocalUnderTest(std::size_t threads) : handlers_({.threads = threads}) {}

  Transport& transport() override { return handlers_.transport(); }
  DestinationPtr destination(const std::string& name, const Behaviour& behaviour, Duration timeout) override {
    const auto handler = [behaviour, record = record_](const Delivery& delivery) {
      record->arrived(delivery);
      return behave(behaviour, *record);
    };
    handlers_.on("*", name, handler, {.name = {}, .timeout = timeout});
    for (const Destination& each : handlers_.destinations()) {
      if (each.name == "fn:" + name) return std::make_shared<const Destination>(each);
    }
    return nullptr;
  }
  DestinationPtr nowhere() override { return std::make_shared<const Destination>(Destination{.name = "fn:nobody"}); }
  Outcome expected(const Behaviour& behaviour) override {
    switch (behaviour.kind) {
      case Behaviour::Kind::ok:
        return Outcome::ok();
      case Behaviour::Kind::retry:
        return Outcome::retry(behaviour.code);
      case Behaviour::Kind::busy:
        return Outcome::unreachable(behaviour.code);
      case Behaviour::Kind::fail:
        return Outcome::fail(behaviour.code);
      case Behaviour::Kind::gone:
        return Outcome::gone(behaviour.code);
      case Behaviour::Kind::hang:
        return Outcome::silent("TX.TIMEOUT");
      case Behaviour::Kind::crash:
        return Outcome::retry("UNKNOWN.INTERNAL");
    }
    std::unreachable();
  }
  Outcome expected_nowhere() override { return Outcome::fail("TX.NO_ROUTE"); }
  testing_support::MessageTexts as_received(testing_support::MessageTexts texts) override { return texts; }
  bool await_received(std::size_t count) override { return record_->await_received(count); }
  std::vector<Received> received() override { return record_->received(); }
  void release() override { record_->release(); }

 private:
  std::shared_ptr<Record> record_ = std::make_shared<Record>();
  Handlers handlers_;
};

}  // namespace

std::unique_ptr<TransportUnderTest> local_under_test(std::size_t threads) {
  return std::make_unique<LocalUnderTest>(threads);
}

}  // namespace makegood::conformance
