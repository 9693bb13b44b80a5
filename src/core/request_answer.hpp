// What is said to a request when it has been carried out, or not.
#pragma once

#include <string>
#include <string_view>

namespace makegood::core {

inline constexpr std::string_view done = "done";

inline std::string refused(std::string_view why) { return "refused: " + std::string(why); }

}  // namespace makegood::core
