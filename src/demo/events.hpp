// What the daemon tells while it works, from its stream of server-sent events, in plain words.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "demo/teller.hpp"

namespace makegood::demo {

/// The answer's status to a GET; 0: there was none.
int demo_status_of(const std::string& url, const std::vector<std::string>& door_folders);

struct DemoTally {
  std::size_t delivered = 0;
  std::size_t retried = 0;
  std::size_t dead = 0;
};

/// What came of one attempt at a delivery.
struct DemoAttempt {
  std::string destination;
  std::string key;
  std::int64_t sequence = 0;
  std::int64_t number = 0;
  std::string detail;
};

/// Reads on a thread of its own, from the moment it is made until it goes.
class DemoEvents {
 public:
  DemoEvents(const std::string& server, std::vector<std::string> door_folders, DemoTeller& teller);
  ~DemoEvents() = default;
  DemoEvents(const DemoEvents&) = delete;
  DemoEvents& operator=(const DemoEvents&) = delete;

  DemoTally tally() const;

 private:
  void read(const std::string& url, const std::stop_token& stop);
  static std::size_t take(char* bytes, std::size_t size, std::size_t count, void* self);
  void take_lines();
  void take_event(std::string_view kind, std::string_view json);
  void tell_retry(const DemoAttempt& attempt);
  void tell_news(std::string_view what, const std::string& destination);

  const std::vector<std::string> door_folders_;
  DemoTeller& teller_;
  std::atomic<std::size_t> delivered_ = 0, retried_ = 0, dead_ = 0;

  // Of the thread.
  std::string unread_;
  std::string kind_;
  std::map<std::string, int> first_retries_;
  std::set<std::string> blocked_;

  std::jthread thread_;  // Last: it must end before what it uses.
};

}  // namespace makegood::demo
