// The error of a parked delivery whose message was deleted; its code is Errc::not_found.
#pragma once

#include <string_view>

namespace makegood {

inline constexpr std::string_view message_gone =
    "Its message is no longer in the log: it was deleted by hand, or the log was emptied.";

}  // namespace makegood
