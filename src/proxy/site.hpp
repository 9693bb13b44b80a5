// What all connections of a proxy share. Used by the thread that reads and writes, and by no other.
#pragma once

#include <array>
#include <functional>
#include <list>
#include <string>

#include "api/key_figures.hpp"
#include "observe/log.hpp"
#include "proxy/figures.hpp"
#include "proxy/key_queue.hpp"
#include "proxy/upstream.hpp"

namespace makegood::proxy {

class Connection;

struct Site {
  const ProxyOptions& options;
  observe::Log& log;
  Figures& figures;
  api::KeyFigures& key_figures;
  Upstream& upstream;
  KeyQueue& claims;
  KeyQueue& settles;
  std::function<bool()> is_ready;
  std::function<void()> emptied = {};  ///< The last connection and the last exchange have gone.

  std::list<Connection*> connections = {};
  std::size_t exchange_count = 0;
  bool is_stopping = false;
  std::string date = {};  ///< Of the last sweep, for headers.
  /// One for all: what is read is taken in before the next socket is looked at.
  std::array<char, std::size_t{64} << 10> buffer = {};

  void tell_if_empty() const {
    if (connections.empty() && exchange_count == 0 && emptied) emptied();
  }
};

}  // namespace makegood::proxy
