// Names that tell where they lead before anybody looks them up.
#pragma once

#include <cstdint>
#include <string_view>

namespace makegood::net {

enum class NameKind : std::uint8_t {
  any,           ///< Nothing is known. Addresses count as such.
  enclosed,      ///< Of a private network: no dot, or an ending that no public name has.
  this_machine,  ///< `localhost`.
  metadata,      ///< Of a cloud's metadata service.
};

/// `host` as in Url: lower case, no dot at its end. Looking up a private name for a tenant would already tell them
/// whether it exists.
NameKind kind_of_name(std::string_view host);

}  // namespace makegood::net
