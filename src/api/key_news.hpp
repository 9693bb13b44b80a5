// What has become of an idempotency key, for those who follow what happens. Never its answer.
#pragma once

#include <string>
#include <string_view>

#include "makegood/idempotency.hpp"

namespace makegood::api {

struct KeyNews {
  enum class Kind {
    claimed,
    taken_over,  ///< Claimed after its former owner fell silent.
    finished,
    failed,     ///< `code` says how.
    in_doubt,   ///< Found so; told once.
    resolved,   ///< By an operator; `code` is `done` or `not_done`.
    forgotten,  ///< By an operator.
    purged,     ///< `count` keys whose time was over; which ones is not told.
    told,       ///< A claim that changed nothing; `code` is what it was told.
  };
  Kind kind = Kind::claimed;
  IdempotencyKey key = {.tenant_id = ""};
  std::string code = {};
  std::size_t count = 1;
};
std::string_view to_string(KeyNews::Kind kind);

/// What a claim has changed, or what it was told.
KeyNews news_of(const IdempotencyKey& key, const ClaimAnswer& answer);

}  // namespace makegood::api
