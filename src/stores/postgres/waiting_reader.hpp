// Deliveries that wait, and what operators ask for, with the messages that they are about.
#pragma once

#include "makegood/spi/store.hpp"
#include "stores/postgres/connection.hpp"
#include "stores/postgres/log_reader.hpp"

namespace makegood::postgres {

class WaitingReader {
 public:
  WaitingReader(Connection& connection, Contents& contents) : connection_(connection), contents_(contents) {}

  /// What is due at one destination, and when the first that is left out will be.
  Result<> read_due(const LookFor::Due& wanted, Rows rows, Found& found);
  Result<> read_requests(Rows rows, Found& found);
  /// What the requests that were read need to be decided on.
  Result<> read_subjects(std::vector<Request>& requests);

 private:
  Result<MessagePtr> read_message_of(const Parked& parked);
  Result<> read_all_about(Request& request);
  Result<> read_put_away(Request& request);

  Connection& connection_;
  Contents& contents_;
};

}  // namespace makegood::postgres
