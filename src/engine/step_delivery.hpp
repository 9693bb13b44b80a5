// A call of a saga's step as transports carry it.
#pragma once

#include <memory>

#include "base/saga_token.hpp"
#include "core/saga/shard.hpp"
#include "makegood/delivery.hpp"
#include "makegood/saga.hpp"

namespace makegood::engine {

/// Where this very attempt is answered later; empty: participants cannot reach us.
std::string callback_url(const SagaCallback& callback, const SagaOptions& options);
Delivery step_delivery(core::SagaCallOut call, const SagaOptions& options, const std::shared_ptr<const Lease>& lease);

}  // namespace makegood::engine
