// An application that commits one message at a time.
#pragma once

#include <memory>
#include <string>

#include "bench/bare.hpp"
#include "bench/scratch.hpp"
#include "makegood/sqlite.hpp"

namespace makegood::bench {

class Producer {
 public:
  explicit Producer(const Scratch& scratch);
  /// One message in a transaction of its own; answers its event id once that is committed.
  std::string produce(const std::string& topic = "bench.evt");

 private:
  Bare bare_;
  std::unique_ptr<sqlite::Enqueuer> enqueuer_;
  NewMessage message_ = a_message();
};

}  // namespace makegood::bench
