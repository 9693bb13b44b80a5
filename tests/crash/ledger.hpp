// The accounts of a crash test, from two sources that know nothing of the relay: the business rows, and the receipts.
#pragma once

#include <string>

#include "sim/checker.hpp"

namespace makegood::crash {

/// What was committed (business rows) and what arrived (receipts), held against each other.
sim::Checker audit(const std::string& url, const std::string& receipts);
std::size_t receipt_count(const std::string& receipts);

}  // namespace makegood::crash
