// The promises of the Transport interface, written once. A transport joins by saying how its destinations are made to
// answer, and by one line in transports_test.cpp.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "makegood/spi/transport.hpp"
#include "tests/support/committed_message.hpp"
#include "tests/support/completion_inbox.hpp"

namespace makegood::conformance {

/// How a destination answers whatever it receives.
struct Behaviour {
  enum class Kind {
    ok,
    retry,
    busy,  ///< Says itself that it cannot take anything now; where the transport can tell, that is no answer.
    fail,
    gone,
    hang,
    crash
  };
  Kind kind = Kind::ok;
  std::string code = {};      ///< For retry, fail and gone, where the transport can carry one.
  Duration retry_after = {};  ///< For retry and busy: whole seconds.
};

/// What arrived at a destination.
struct Received {
  std::string destination;
  testing_support::MessageTexts texts;
  Sequence sequence = 0;
  std::uint32_t attempt = 0;
  std::string outbox;
};

class TransportUnderTest {
 public:
  virtual ~TransportUnderTest() = default;
  virtual Transport& transport() = 0;
  /// Whether its destinations can be made to behave so: a broker knows no `gone`, and nobody there says when to come
  /// back.
  virtual bool can_be(const Behaviour& /*behaviour*/) const { return true; }
  /// All destinations are made before the first send.
  virtual DestinationPtr destination(const std::string& name, const Behaviour& behaviour, Duration timeout) = 0;
  /// A destination of this transport that nobody serves.
  virtual DestinationPtr nowhere() = 0;
  /// Kind, code and reach of what a behaviour must be reported as.
  virtual Outcome expected(const Behaviour& behaviour) = 0;
  virtual Outcome expected_nowhere() = 0;
  /// Without what this transport does not carry.
  virtual testing_support::MessageTexts as_received(testing_support::MessageTexts texts) = 0;
  /// Waits until at least so many have arrived anywhere.
  virtual bool await_received(std::size_t count) = 0;
  virtual std::vector<Received> received() = 0;
  /// Lets everything that hangs go on, and waits until it has.
  virtual void release() = 0;
};

struct TransportEntry {
  std::string name;
  std::function<std::unique_ptr<TransportUnderTest>()> open;  ///< Null: what it needs is missing.
  std::string missing = {};                                   ///< What that is.
};
inline std::ostream& operator<<(std::ostream& out, const TransportEntry& entry) { return out << entry.name; }

class TransportSuite : public testing::TestWithParam<TransportEntry> {
 protected:
  void SetUp() override {
    if (subject_ == nullptr) GTEST_SKIP() << GetParam().missing;
  }
  void TearDown() override {
    if (subject_ == nullptr) return;
    subject_->release();
    subject_->transport().drain(inbox_, std::chrono::seconds(5));
  }

  DestinationPtr destination(const std::string& name, const Behaviour& behaviour = {},
                             Duration timeout = std::chrono::seconds(30)) {
    return subject_->destination(name, behaviour, timeout);
  }
  Delivery delivery(Ticket ticket, DestinationPtr to, const testing_support::MessageTexts& texts = {}) const {
    return {.message = testing_support::committed_message(texts, static_cast<Sequence>(ticket)),
            .destination = std::move(to),
            .outbox = "makegood_outbox",
            .attempt = 1,
            .ticket = ticket};
  }
  void send(Delivery delivery) {
    std::vector<Delivery> deliveries;
    deliveries.push_back(std::move(delivery));
    transport().send(std::move(deliveries), inbox_);
  }
  /// Sends one delivery and returns what came of it.
  Outcome outcome_of(const DestinationPtr& to) {
    const std::size_t before = inbox_.size();
    send(delivery(before + 1, to));
    if (!inbox_.await(before + 1)) return Outcome::fail("NEVER.COMPLETED");
    return inbox_.all().back().outcome;
  }
  /// Sends `count` deliveries, in batches, with tickets from `first` on.
  void send_many(Ticket first, std::size_t count, const DestinationPtr& to);
  void expect_each_completed_once(std::size_t count);
  /// Sends one delivery to a destination that behaves like this.
  void expect_reported(const std::string& name, const Behaviour& behaviour, Outcome::Kind kind);

  Transport& transport() { return subject_->transport(); }

  std::unique_ptr<TransportUnderTest> subject_ = GetParam().open();
  testing_support::CompletionInbox inbox_;
};

}  // namespace makegood::conformance
