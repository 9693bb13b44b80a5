// The endpoint zoo: HTTP endpoints with every bad habit, in a process of their own. What each of them does is told in
// docs/endpoint-zoo.md.
//
//   Zoo zoo;
//   send_to(zoo.url("hang"));
//   EXPECT_EQ(zoo.visits("hang").count, 1U);
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tests/zoo/zoo_process.hpp"

namespace makegood::testing_support {

/// A request that an animal has received whole.
struct Visit {
  std::string method;
  std::string path;
  std::map<std::string, std::string> headers;  ///< Names in lower case.
  std::string body;                            ///< Its first 256 bytes.
  std::size_t body_bytes = 0;
  std::string body_sha256;
  std::size_t connection = 0;  ///< 1 for the animal's first, and so on.
};

struct Visits {
  std::size_t connections = 0;  ///< Those that never became a request too.
  std::size_t count = 0;
  std::vector<Visit> requests = {};  ///< The first 2,000.
  /// Of animals with effects: how often each Idempotency-Key was applied.
  std::map<std::string, std::size_t> effects = {};
};

class Zoo {
 public:
  /// Returns when every animal is ready; throws when they are not in time.
  Zoo();

  std::vector<std::string> animals() const;
  const std::string& url(const std::string& animal) const;
  /// `ca` (of every good certificate), `client_certificate`, `client_key`: paths, which live as long as the zoo.
  const std::string& file(const std::string& name) const;

  Visits visits(const std::string& animal) const;
  /// True when there have been at least so many requests.
  bool await_visits(const std::string& animal, std::size_t count,
                    std::chrono::milliseconds limit = std::chrono::seconds(20)) const;
  /// Forgets all visits.
  void reset();

 private:
  ZooProcess process_;
  std::string control_;
  std::map<std::string, std::string> urls_;
  std::map<std::string, std::string> files_;
};

}  // namespace makegood::testing_support
