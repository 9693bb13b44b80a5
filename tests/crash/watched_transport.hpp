// A transport around a transport: passes the failpoints of a send, writes down what was sent and what was answered, and
// knows when nothing is under way.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>

#include "makegood/spi/store.hpp"
#include "makegood/spi/transport.hpp"
#include "tests/crash/chronicle.hpp"

namespace makegood::crash {

class WatchedTransport final : public Transport, private Completions {
 public:
  /// All of them outlive the transport. `owner` is whoever took the lane last.
  WatchedTransport(Transport& inner, const Chronicle& chronicle, const Owner& owner)
      : inner_(inner), chronicle_(chronicle), owner_(owner) {}

  TransportFeatures features() const override { return inner_.features(); }
  void send(std::vector<Delivery> deliveries, Completions& done) override;
  void drain(Completions& /*done*/, Duration grace) override { inner_.drain(*this, grace); }

  /// Until everything that was sent has been answered.
  void await_answers();

 private:
  struct Sent {
    Owner owner;
    std::string destination;
    std::string event_id;
  };
  void post(std::vector<Report> reports) override;
  void note_answer(const Report& report);

  Transport& inner_;
  const Chronicle& chronicle_;
  const Owner& owner_;

  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable answered_;
  std::map<Ticket, Sent> under_way_;
  Completions* done_ = nullptr;
};

}  // namespace makegood::crash
