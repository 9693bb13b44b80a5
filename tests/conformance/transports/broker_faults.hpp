// What the chapters of faults of all brokers need: deliveries as a lane hands them over.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "makegood/spi/transport.hpp"
#include "tests/support/committed_message.hpp"
#include "tests/support/completion_inbox.hpp"
#include "tests/support/server_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace makegood::conformance {

/// A certificate of 127.0.0.1 that is its own authority, and its key, in a folder of their own.
class OwnCertificate {
 public:
  OwnCertificate() {
    testing_support::ServerProcess(
        {testing_support::path_of_program("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt",
         "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1", "-subj", "/CN=makegood", "-addext",
         "subjectAltName=IP:127.0.0.1", "-keyout", key(), "-out", certificate()},
        0, folder_.file("log"))
        .run_to_end();
  }
  std::string certificate() const { return folder_.file("certificate.pem"); }
  std::string key() const { return folder_.file("key.pem"); }

 private:
  testing_support::TemporaryFolder folder_;
};

class BrokerFaults : public testing::Test {
 protected:
  static Delivery delivery(Ticket ticket, const DestinationPtr& to, testing_support::MessageTexts texts = {}) {
    texts.event_id = "event-" + std::to_string(ticket);
    return {.message = testing_support::committed_message(texts, static_cast<Sequence>(ticket)),
            .destination = to,
            .outbox = "makegood_outbox",
            .ticket = ticket};
  }
  void send(Delivery delivery) {
    std::vector<Delivery> one;
    one.push_back(std::move(delivery));
    transport_->send(std::move(one), inbox_);
  }
  Outcome outcome_of(Delivery delivery) {
    const std::size_t before = inbox_.size();
    send(std::move(delivery));
    if (!inbox_.await(before + 1)) return Outcome::fail("NEVER.COMPLETED");
    return inbox_.all().back().outcome;
  }
  /// As a lane does: one after the other, each until it is stored.
  void deliver_in_order(Ticket first, Ticket last, const DestinationPtr& to) {
    for (Ticket ticket = first; ticket <= last; ++ticket) {
      for (int attempt = 1; outcome_of(delivery(ticket, to)).kind != Outcome::Kind::ok; ++attempt) {
        ASSERT_LT(attempt, 5000);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
    }
  }
  /// And the server is killed twice meanwhile.
  void deliver_in_order_while_killing(testing_support::ServerProcess& server, Ticket last, const DestinationPtr& to) {
    std::jthread killer([&] {
      for (std::size_t round = 1; round <= 2; ++round) {
        while (inbox_.size() < last / 4 * round) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        server.kill();
        server.start();
      }
    });
    deliver_in_order(1, last, to);
  }
  static std::vector<std::string> numbers(Ticket last) {
    std::vector<std::string> texts;
    for (Ticket ticket = 1; ticket <= last; ++ticket) texts.push_back(std::to_string(ticket));
    return texts;
  }

  testing_support::CompletionInbox inbox_;
  std::unique_ptr<Transport> transport_;
};

}  // namespace makegood::conformance
