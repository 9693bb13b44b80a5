// What calls work with: connections to the outboxes, opened when they are first needed, and what the process lends.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "api/api.hpp"
#include "api/destination_document.hpp"
#include "makegood/dead_letters.hpp"
#include "makegood/outbox_view.hpp"

namespace makegood::api {

class Desk {
 public:
  explicit Desk(Surroundings surroundings) : surroundings_(std::move(surroundings)) {}

  const Surroundings& surroundings() const { return surroundings_; }
  /// Errc::not_found with the nearest name when this process has no such outbox.
  Result<DeadLetterStore*> letters(const std::string& outbox);
  Result<OutboxView*> view(const std::string& outbox);
  Result<OutboxStore*> store(const std::string& outbox);
  Result<> check_outbox(const std::string& outbox) const;
  DestinationRules destination_rules() const;
  /// The process's own, or one for the tests of destinations.
  Result<Transport*> http();
  /// After an error of the store: whatever was open may be what is broken.
  void hang_up() { connections_.clear(); }

 private:
  struct Connections {
    std::unique_ptr<DeadLetterStore> letters;
    std::unique_ptr<OutboxView> view;
    std::unique_ptr<OutboxStore> store;
  };

  Surroundings surroundings_;
  std::map<std::string, Connections> connections_;
  std::unique_ptr<Transport> http_;
};

}  // namespace makegood::api
