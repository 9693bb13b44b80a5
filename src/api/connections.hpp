// What calls work with: connections to the outboxes, opened when they are first needed, and what the process lends.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/api.hpp"
#include "api/destination_document.hpp"
#include "makegood/spi/idempotency_store.hpp"
#include "makegood/spi/outbox_view.hpp"
#include "makegood/spi/saga_store.hpp"
#include "makegood/spi/source_store.hpp"

namespace makegood::api {

class Connections {
 public:
  explicit Connections(ApiContext api_context) : api_context_(std::move(api_context)) {}

  const ApiContext& api_context() const { return api_context_; }
  /// Errc::not_found with the nearest name when this process has no such outbox.
  Result<OutboxView*> view(const std::string& outbox);
  Result<OutboxStore*> store(const std::string& outbox);
  /// What is read from brokers into it; there may be no tables for it yet.
  Result<SourceStore*> sources(const std::string& outbox);
  /// Without tables there are none.
  Result<std::vector<SourceRow>> registered_sources(const std::string& outbox);
  /// As `sources`; the first source makes their tables.
  Result<SourceStore*> sources_to_define(const std::string& outbox);
  /// Whoever reads them looks at once.
  void sources_changed() const;
  /// Of the store; there is one for all outboxes.
  Result<SagaView*> sagas();
  /// As `sagas`; the first definition makes their tables.
  Result<SagaView*> sagas_to_define();
  /// Whoever carries them out looks at once.
  void sagas_changed() const;
  /// What signs the addresses that participants call back.
  Result<std::string> callback_key();
  Result<> check_outbox(const std::string& outbox) const;
  /// The idempotency keys of the store. Their tables are made when they are first needed.
  Result<IdempotencyStore*> keys();
  DestinationRules destination_rules() const;
  /// After an error of the store: whatever was open may be what is broken.
  void hang_up() {
    of_outboxes_.clear();
    sagas_.reset();
    callback_key_.clear();
    keys_.reset();
  }

 private:
  SagaStoreOptions saga_options() const;
  struct OfOutbox {
    std::unique_ptr<OutboxView> view;
    std::unique_ptr<OutboxStore> store;
    std::unique_ptr<SourceStore> sources;
  };

  ApiContext api_context_;
  std::map<std::string, OfOutbox> of_outboxes_;
  std::unique_ptr<SagaView> sagas_;
  std::string callback_key_;
  std::unique_ptr<IdempotencyStore> keys_;
};

}  // namespace makegood::api
