// A transport and a server on this machine, for tests of what one does to the other.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "makegood/http.hpp"
#include "tests/support/committed_message.hpp"
#include "tests/support/completion_inbox.hpp"
#include "tests/support/loopback_server.hpp"
#include "tests/support/value_of.hpp"

namespace makegood::http {

inline DestinationPtr to_url(const std::string& url, Duration timeout = std::chrono::seconds(30)) {
  return std::make_shared<const Destination>(value_of(http_destination("shop", {.url = url}, {.timeout = timeout})));
}

class AtAServer : public testing::Test {
 protected:
  using Answer = testing_support::LoopbackServer::Answer;

  /// A server that answers like this, and a transport.
  void open(Answer answer, HttpOptions options = {}) {
    server_ = std::make_unique<testing_support::LoopbackServer>(std::move(answer));
    transport_ = value_of(new_http_transport(std::move(options)));
  }
  void open(const testing_support::HttpReply& reply, HttpOptions options = {}) {
    open([reply](const testing_support::HttpRequest&) { return reply; }, std::move(options));
  }

  void send(const DestinationPtr& to, std::size_t count = 1, const std::string& content = "{}") {
    send(to, count, testing_support::MessageTexts{.content = content});
  }
  void send(const DestinationPtr& to, std::size_t count, const testing_support::MessageTexts& texts) {
    std::vector<Delivery> deliveries;
    for (std::size_t i = 0; i < count; ++i) {
      const auto ticket = static_cast<Ticket>(++sent_count_);
      deliveries.push_back({.message = testing_support::committed_message(texts, static_cast<Sequence>(ticket)),
                            .destination = to,
                            .outbox = "makegood_outbox",
                            .attempt = 1,
                            .ticket = ticket});
    }
    transport_->send(std::move(deliveries), inbox_);
  }
  Outcome outcome_of(const DestinationPtr& to, const testing_support::MessageTexts& texts = {}) {
    const std::size_t before = inbox_.size();
    send(to, 1, texts);
    if (!inbox_.await(before + 1)) return Outcome::fail("NEVER.COMPLETED");
    return inbox_.all().back().outcome;
  }
  /// Of a request to a server that replies like this.
  Outcome outcome_of(const testing_support::HttpReply& reply, HttpOptions options = {}) {
    open(reply, std::move(options));
    return outcome_of(to_url(server_->url()));
  }

  std::unique_ptr<testing_support::LoopbackServer> server_;
  testing_support::CompletionInbox inbox_;
  std::unique_ptr<Transport> transport_;
  std::size_t sent_count_ = 0;
};

}  // namespace makegood::http
