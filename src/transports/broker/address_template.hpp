// Where at its broker a message goes (a topic, subject, stream or routing key), from a text with places to fill in:
// `orders.{tenant}.{topic}`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/delivery.hpp"
#include "makegood/result.hpp"

namespace makegood::broker {

/// `{topic}`, `{tenant}`, `{key}` (empty without one), `{event_id}`, `{outbox}`, `{destination}` (its name without the
/// scheme).
class AddressTemplate {
 public:
  /// Errc::config_invalid with what is allowed. `separator` is what divides an address into levels; 0: nothing does.
  static Result<AddressTemplate> parse(std::string_view text, char separator);

  /// Errc::invalid if a value would add a level, as a tenant called `a.b` does; a topic may have levels. Whether
  /// the broker takes the result is for its protocol to say.
  Result<std::string> fill(const Delivery& delivery) const;

 private:
  enum class Value : std::uint8_t { none, topic, tenant, key, event_id, outbox, destination };
  struct Part {
    std::string text = {};
    Value value = Value::none;
  };
  static Result<Value> value_named(std::string_view name);
  static std::string_view value_of(const Delivery& delivery, Value value);

  std::vector<Part> parts_;
  char separator_ = 0;
};

}  // namespace makegood::broker
