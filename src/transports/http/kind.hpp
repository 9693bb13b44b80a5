// HTTP, as a process knows it.
#pragma once

#include <memory>

#include "base/transports.hpp"
#include "makegood/http.hpp"

namespace makegood::http {

std::unique_ptr<const TransportKind> new_kind(HttpOptions options);

}  // namespace makegood::http
