// What the proxy itself answers.
#pragma once

#include "api/call.hpp"
#include "makegood/idempotency.hpp"
#include "proxy/routes.hpp"

namespace makegood::proxy {

api::Answer key_missing();
api::Answer key_unreadable();
api::Answer body_too_large(std::size_t bytes_max);
api::Answer principal_missing(const Error& error);
api::Answer store_away();
/// To a claim that is neither fresh nor a hit.
api::Answer not_yours(const ClaimAnswer& answer);
/// The upstream has not answered. `is_in_doubt`: and the key is held.
api::Answer no_answer(Ending::Kind why, bool is_in_doubt);
/// It has, and its answer could not be stored.
api::Answer not_stored();

}  // namespace makegood::proxy
