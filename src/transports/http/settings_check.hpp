// What is wrong with a destination's settings, before anything is sent.
#pragma once

#include "makegood/http.hpp"
#include "transports/http/guard.hpp"
#include "transports/http/mistakes.hpp"

namespace makegood::http {

/// What can be told without the options of a process.
void check_settings(const HttpSettings& settings, Trust trust, Mistakes& mistakes);

/// Credentials in plain sight. Asked when a destination is registered, not when it is used: those that are stored
/// already go on.
void check_credentials(const HttpSettings& settings, Mistakes& mistakes);

/// References to secrets that a tenant may use. `{tenant}` in `allowed` stands for the id of this one.
void check_tenant_secrets(const HttpSettings& settings, std::string_view tenant_id,
                          const std::vector<std::string>& allowed, Mistakes& mistakes);

}  // namespace makegood::http
