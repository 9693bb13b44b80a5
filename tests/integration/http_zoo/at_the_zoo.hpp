// The HTTP transport among the animals of the zoo.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "makegood/http.hpp"
#include "tests/support/committed_message.hpp"
#include "tests/support/completion_inbox.hpp"
#include "tests/support/value_of.hpp"
#include "tests/zoo/zoo.hpp"

namespace makegood {

using namespace std::chrono_literals;
using Kind = Outcome::Kind;
using testing_support::CompletionInbox;
using testing_support::Visits;
using testing_support::Zoo;

/// Long enough for every animal that answers at all, short enough to wait for those that do not.
inline constexpr std::chrono::milliseconds patience{1500};

class AtTheZoo : public testing::Test {
 protected:
  AtTheZoo();
  void TearDown() override;

  /// One for all tests of the program: it takes most of a second to get ready.
  static Zoo& zoo();
  Transport& transport();

  /// Settings that reach a good animal: its URL, the zoo's CA, prior knowledge where that is needed.
  static HttpSettings settings_for(const std::string& animal);
  static DestinationPtr destination(const std::string& name, const HttpSettings& settings, Duration timeout = patience);
  static DestinationPtr destination(const std::string& animal, Duration timeout = patience) {
    return destination(animal, settings_for(animal), timeout);
  }

  /// Starts sends; what comes of them is told by `outcome_of`.
  Ticket send(const DestinationPtr& to, const std::string& content = "{}");
  std::vector<Ticket> send_many(const DestinationPtr& to, std::size_t count);
  Outcome outcome_of(Ticket ticket);
  std::vector<Outcome> outcomes_of(const std::vector<Ticket>& tickets);
  /// One delivery, from beginning to end.
  Outcome outcome_at(const std::string& animal) { return outcome_of(send(destination(animal))); }

  /// A healthy neighbour is served as if nothing were wrong.
  void expect_the_healthy_are_served_promptly();

  /// The zoo makes its certificates in the temporary folder.
  HttpOptions options{.secret_places = {"file:" + std::filesystem::temp_directory_path().string() + "/"}};

 private:
  std::unique_ptr<Transport> transport_;
  CompletionInbox inbox_;
  Ticket last_ticket_ = 0;
};

std::size_t thread_count();

/// For messages of GoogleTest.
inline std::string to_string(Outcome::Kind kind) {
  switch (kind) {
    case Outcome::Kind::ok:
      return "delivered";
    case Outcome::Kind::retry:
      return "retried";
    case Outcome::Kind::fail:
      return "dead";
    case Outcome::Kind::gone:
      return "disabled";
    case Outcome::Kind::returned:
      return "not sent";
  }
  return "?";
}
inline std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
  return out << to_string(outcome.kind) << ' ' << outcome.code << " (" << outcome.detail << ")";
}
}  // namespace makegood
