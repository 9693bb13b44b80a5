// A call of a saga's step as transports carry it.
#pragma once

#include <memory>

#include "core/saga/shard.hpp"
#include "makegood/delivery.hpp"
#include "makegood/saga.hpp"

namespace makegood::engine {

Delivery step_delivery(core::SagaCallOut call, const SagaOptions& options, const std::shared_ptr<const Lease>& lease);

}  // namespace makegood::engine
