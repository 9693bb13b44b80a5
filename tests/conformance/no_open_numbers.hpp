#pragma once

#include <string_view>

namespace makegood::conformance {

/// Why a promise about open numbers cannot be tried out on a store: there is no way to make one.
inline constexpr std::string_view no_open_numbers =
    "this store has one writer at a time: each number is drawn and committed before the next is drawn, so none can "
    "stay open; the memory store runs this test";

}  // namespace makegood::conformance
