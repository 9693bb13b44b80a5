// The one place that knows the list of transports. Functions of a program (`fn:`) are not in it: the program hands them
// to its dispatcher itself.
#pragma once

#include <memory>
#include <string_view>

#include "base/text_cache.hpp"
#include "base/transports.hpp"
#include "makegood/brokers.hpp"
#include "makegood/http.hpp"

namespace makegood {

/// What the process sets for each kind.
struct TransportOptions {
  HttpOptions http = {};
  BrokerOptions brokers = {};
};

std::shared_ptr<Transports> new_transports(const TransportOptions& options);
/// `redis://…`. Errc::invalid.
Result<std::unique_ptr<TextCache>> open_text_cache(std::string_view url);

}  // namespace makegood
