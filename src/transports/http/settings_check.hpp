// What is wrong with a destination's settings, before anything is sent.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/mistakes.hpp"
#include "makegood/http.hpp"
#include "transports/net/guard.hpp"

namespace makegood::http {

/// What can be told without the options of a process.
void check_settings(const HttpSettings& settings, Trust trust, Mistakes& mistakes);

/// Credentials in plain sight. Asked when a destination is registered, not when it is used: those that are stored
/// already go on.
void check_credentials(const HttpSettings& settings, Mistakes& mistakes);

/// Secrets that are elsewhere. Where a file really is, is asked when it is read.
void check_places(const HttpSettings& settings, Trust trust, std::span<const std::string> places, Mistakes& mistakes);

}  // namespace makegood::http
