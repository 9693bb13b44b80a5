// What is wrong with a setting that says where a secret or a file is.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/mistakes.hpp"
#include "transports/net/guard.hpp"

namespace makegood::net {

void check_secret(std::string_view setting, const std::string& reference, Mistakes& mistakes);
/// A file that is opened as it is, so only for the operator's own destinations.
void check_file(std::string_view setting, const std::string& path, Trust trust, Mistakes& mistakes);
/// Whether the secret is where secrets may be. Where a file really is, is asked when it is read.
void check_place(std::string_view setting, const std::string& reference, Trust trust,
                 std::span<const std::string> places, Mistakes& mistakes);

/// Of settings with `ca_file`, `client_certificate` and `client_key`.
template <class Settings>
void check_tls_files(const Settings& settings, Trust trust, Mistakes& mistakes) {
  check_file("ca_file", settings.ca_file, trust, mistakes);
  check_file("client_certificate", settings.client_certificate, trust, mistakes);
  check_file("client_key", settings.client_key, trust, mistakes);
  if (settings.client_certificate.empty() != settings.client_key.empty()) {
    mistakes.add("client_certificate", "and client_key must be given together");
  }
}

}  // namespace makegood::net
