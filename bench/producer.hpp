// An application that commits one message at a time.
#pragma once

#include <memory>
#include <string>

#include "bench/application.hpp"
#include "bench/scratch.hpp"

namespace makegood::bench {

class Producer {
 public:
  explicit Producer(const std::string& store_url) : application_(open_application(store_url)) {}
  explicit Producer(const Scratch& scratch) : Producer(scratch.url()) {}
  /// One message in a transaction of its own; answers its event id once that is committed.
  std::string produce(const std::string& topic = "bench.evt");

 private:
  std::unique_ptr<Application> application_;
  NewMessage message_ = a_message();
};

}  // namespace makegood::bench
