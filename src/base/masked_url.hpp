// A URL as it may be shown and logged.
#pragma once

#include <string>
#include <string_view>

namespace makegood {

/// `scheme://user:password@host` as `scheme://***@host`, and `password=…` in a query as `password=***`. Where it is not
/// clear what belongs to the password, too much is masked rather than too little.
std::string masked_url(std::string_view url);

/// For a command that is to be copied: `scheme://user@host`, and no password in the query either. The driver finds the
/// password where it looks for one that is not said. Masked where it is not clear what belongs to the password.
std::string url_without_password(std::string_view url);

}  // namespace makegood
