// What a load generator reaches that does nothing but HTTP/1.1.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace makegood::bench {

/// Requests per second of `wrk` with this many connections and threads; empty where wrk is not installed.
std::optional<double> wrk(const std::string& url, std::size_t connections, std::size_t threads);

}  // namespace makegood::bench
