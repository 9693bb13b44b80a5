// What all connections share. Used by the thread that reads and writes, and by no other.
#pragma once

#include <array>
#include <functional>
#include <list>
#include <string>

#include "makegood/clock.hpp"
#include "server/event_hub.hpp"
#include "server/figures.hpp"
#include "server/gate.hpp"
#include "server/server.hpp"
#include "server/switchboard.hpp"

namespace makegood::server {

class Connection;

struct Site {
  const ServerOptions& options;
  const Process& process;
  const Gate& gate;
  Figures& figures;
  EventHub& hub;
  Switchboard* switchboard = nullptr;  ///< From the start on.
  std::function<void()> emptied = {};  ///< The last connection has gone.

  std::list<Connection*> connections = {};
  std::size_t stream_count = 0;
  bool is_stopping = false;
  std::string date = {};  ///< Of the last sweep, for headers.
  /// One for all: what is read is taken in before the next socket is looked at, so an idle connection needs none.
  std::array<char, std::size_t{64} << 10> buffer = {};
};

}  // namespace makegood::server
