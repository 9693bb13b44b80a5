// What the chapters of faults of all brokers need: deliveries as a lane hands them over.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "makegood/spi/transport.hpp"
#include "tests/support/committed_message.hpp"
#include "tests/support/completion_inbox.hpp"
#include "tests/support/cutting_proxy.hpp"
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
  using Reach = Outcome::Reach;

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
    // A server that was killed takes its time to come back, on a machine that has other work.
    const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(3);
    for (Ticket ticket = first; ticket <= last; ++ticket) {
      while (outcome_of(delivery(ticket, to)).kind != Outcome::Kind::ok) {
        ASSERT_LT(std::chrono::steady_clock::now(), until);
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
  /// And the connection is lost with each of them: a bit later each time, after a byte to the server or from it.
  void deliver_in_order_while_cutting(testing_support::CuttingProxy& proxy, Ticket last, const DestinationPtr& to) {
    constexpr std::uint64_t step = 29;
    for (Ticket ticket = 1; ticket <= last; ++ticket) {
      const auto way = ticket % 2 == 0 ? testing_support::Way::to_server : testing_support::Way::to_client;
      proxy.cut_after(way, (ticket - 1) / 2 * step);
      deliver_in_order(ticket, ticket, to);
    }
  }
  /// The server stands still for longer than a delivery may take, and for a moment; all arrive in their order.
  void deliver_in_order_while_freezing(testing_support::ServerProcess& server, Ticket last, const DestinationPtr& to) {
    ASSERT_EQ(outcome_of(delivery(1, to)).kind, Outcome::Kind::ok);
    server.freeze();
    EXPECT_EQ(outcome_of(delivery(2, to)).reach, Reach::silent) << "it may be there";
    const std::size_t before = inbox_.size();
    send(delivery(2, to));
    EXPECT_FALSE(inbox_.await(before + 1, testing_support::quiet)) << "whoever is slow is waited for";
    server.thaw();
    ASSERT_TRUE(inbox_.await(before + 1));
    deliver_in_order(2, last, to);
  }
  /// Its lease ends while most of what it has to send stays with us, since nobody reads. What was told not to have
  /// left must not come later.
  std::size_t silent_after_a_frozen_owner(testing_support::CuttingProxy& proxy, const DestinationPtr& to) {
    EXPECT_EQ(outcome_of(delivery(1, to)).kind, Outcome::Kind::ok);
    proxy.hold(testing_support::Way::to_server);
    const auto lease = std::make_shared<Lease>(Lease::now() + std::chrono::hours(1));
    constexpr Ticket last = 40;
    std::vector<Delivery> many;
    for (Ticket ticket = 2; ticket <= last; ++ticket) {
      many.push_back(delivery(ticket, to, {.content = std::string(900'000, 'x')}));
      many.back().lease = lease;
    }
    transport_->send(std::move(many), inbox_);
    EXPECT_FALSE(inbox_.await(last, std::chrono::milliseconds(200)));
    lease->end();
    EXPECT_TRUE(inbox_.await(last));
    proxy.release();
    const auto all = inbox_.all();
    const auto silent = static_cast<std::size_t>(std::ranges::count_if(
        all, [](const Completion& completion) { return completion.outcome.reach == Reach::silent; }));
    EXPECT_LT(silent, last - 1) << "some had not begun to leave";
    std::this_thread::sleep_for(testing_support::quiet);
    return silent;
  }
  /// How often a message may have been stored: once for each that was confirmed, or of which nobody knows.
  std::size_t stored_at_most() {
    const auto all = inbox_.all();
    return static_cast<std::size_t>(std::ranges::count_if(all, [](const Completion& completion) {
      return completion.outcome.kind == Outcome::Kind::ok || completion.outcome.reach == Reach::silent;
    }));
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
