#include "api/connections.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "api/saga_start.hpp"
#include "base/mistakes.hpp"
#include "base/nearest.hpp"
#include "makegood/spi/registry.hpp"

namespace makegood::api {
namespace {

/// A store that is not there is away: what is asked for in it may well exist.
template <class T>
Result<T> opened(Result<T> result) {
  if (!result && result.error().code == Errc::not_found) result.error().code = Errc::store_unavailable;
  return result;
}

/// The tables of the keys are in the schema of the first outbox; empty: where the search path leads.
std::string schema_beside(const std::string& outbox) {
  const std::size_t dot = outbox.find('.');
  return dot == std::string::npos ? std::string() : outbox.substr(0, dot);
}

SagaStoreOptions options_of(const ApiContext& api_context) {
  SagaStoreOptions options;
  if (!api_context.outboxes.empty()) options.outbox = api_context.outboxes.front();
  return options;
}

}  // namespace

Result<> Connections::check_outbox(const std::string& outbox) const {
  const std::vector<std::string>& known = api_context_.outboxes;
  if (std::ranges::find(known, outbox) != known.end()) return {};
  const std::string meant = nearest(outbox, known, '_');
  const std::string hint =
      meant.empty() ? fmt::format("There are: {}.", fmt::join(known, ", ")) : fmt::format("Is it {}?", meant);
  return Error{Errc::not_found, fmt::format("There is no outbox '{}' here. {}", shown(outbox), hint)};
}

Result<OutboxView*> Connections::view(const std::string& outbox) {
  MAKEGOOD_TRY(check_outbox(outbox));
  auto& open = of_outboxes_[outbox].view;
  if (open == nullptr) open = MAKEGOOD_TRY(opened(open_outbox_view(api_context_.store_url, outbox)));
  return open.get();
}

Result<OutboxStore*> Connections::store(const std::string& outbox) {
  MAKEGOOD_TRY(check_outbox(outbox));
  auto& open = of_outboxes_[outbox].store;
  if (open == nullptr) open = MAKEGOOD_TRY(opened(open_store(api_context_.store_url, outbox, false)));
  return open.get();
}

Result<SourceStore*> Connections::sources(const std::string& outbox) {
  MAKEGOOD_TRY(check_outbox(outbox));
  auto& open = of_outboxes_[outbox].sources;
  if (open == nullptr) open = MAKEGOOD_TRY(opened(open_source_store(api_context_.store_url, outbox)));
  return open.get();
}

Result<std::vector<SourceRow>> Connections::registered_sources(const std::string& outbox) {
  auto rows = MAKEGOOD_TRY(sources(outbox))->sources();
  if (rows || rows.error().code != Errc::schema_mismatch) return rows;
  of_outboxes_[outbox].sources.reset();  // Whoever takes nothing in has no connection for it.
  return std::vector<SourceRow>();
}

Result<SourceStore*> Connections::sources_to_define(const std::string& outbox) {
  SourceStore* const store = MAKEGOOD_TRY(sources(outbox));
  if (api_context_.makes_saga_tables) MAKEGOOD_TRY(store->migrate());
  return store;
}

void Connections::sources_changed() const {
  if (api_context_.sources_changed) api_context_.sources_changed();
}

Result<std::unique_ptr<SagaView>> open_sagas_view(const ApiContext& api_context) {
  const SagaStoreOptions options = options_of(api_context);
  auto view = opened(open_saga_view(api_context.store_url, options));
  if (view || view.error().code != Errc::schema_mismatch) return view;
  if (MAKEGOOD_TRY(saga_tables_state(api_context.store_url, options.log)) != SagaTablesState::missing) return view;
  return Error{Errc::schema_mismatch,
               "There are no tables for sagas; `makegood apply` of the first saga makes them, or `makegood migrate "
               "--saga-log makegood_saga`.",
               view.error().diagnostics};
}

Result<SagaAccess> open_sagas(const ApiContext& api_context) {
  auto view = MAKEGOOD_TRY(open_sagas_view(api_context));
  auto store = MAKEGOOD_TRY(opened(open_saga_store(api_context.store_url, options_of(api_context), false)));
  return SagaAccess{std::move(store), std::move(view)};
}

Result<SagaView*> Connections::sagas() {
  if (sagas_ == nullptr) sagas_ = MAKEGOOD_TRY(open_sagas_view(api_context_));
  return sagas_.get();
}

Result<SagaView*> Connections::sagas_to_define() {
  auto open = sagas();
  const bool are_missing = !open && open.error().code == Errc::schema_mismatch;
  if (!are_missing || !api_context_.makes_saga_tables) return open;
  MAKEGOOD_TRY(opened(open_saga_store(api_context_.store_url, saga_options())));
  return sagas();
}

SagaStoreOptions Connections::saga_options() const { return options_of(api_context_); }

void Connections::sagas_changed() const {
  if (api_context_.sagas_changed) api_context_.sagas_changed();
}

/// It never changes while the store is the same one.
Result<std::string> Connections::callback_key() {
  SagaView& open = *MAKEGOOD_TRY(sagas());
  if (callback_key_.empty()) callback_key_ = MAKEGOOD_TRY(open.callback_key());
  return callback_key_;
}

Result<IdempotencyStore*> Connections::keys() {
  if (keys_ != nullptr) return keys_.get();
  const std::string schema = api_context_.outboxes.empty() ? "" : schema_beside(api_context_.outboxes.front());
  ResultStorage storage{.limits = api_context_.result_limits};
  if (api_context_.seal) storage.seal = MAKEGOOD_TRY(api_context_.seal());
  keys_ = MAKEGOOD_TRY(opened(open_idempotency_store(api_context_.store_url, schema, true, storage)));
  return keys_.get();
}

DestinationRules Connections::destination_rules() const {
  const auto& defaults = api_context_.destination_defaults;
  return {.defaults = defaults ? defaults() : Destination{}, .transports = api_context_.transports};
}

}  // namespace makegood::api
