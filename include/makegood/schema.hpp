// Optional JSON Schemas for payloads, checked at enqueue.
#pragma once

#include <memory>
#include <string_view>

#include "makegood/result.hpp"

namespace makegood {

/// Thread-safe once filled.
class PayloadSchemas {
 public:
  PayloadSchemas();
  ~PayloadSchemas();
  PayloadSchemas(PayloadSchemas&&) noexcept;
  PayloadSchemas& operator=(PayloadSchemas&&) noexcept;

  /// Payloads of topics that match `pattern` must follow this JSON Schema (draft 4).
  Result<> add(std::string_view pattern, std::string_view schema_json);
  /// Errc::validation_failed names the place and the rule, never the value.
  Result<> check(std::string_view topic, std::string_view payload) const;

 private:
  class Compiled;
  std::unique_ptr<Compiled> compiled_;
};

}  // namespace makegood
