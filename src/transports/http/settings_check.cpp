#include "transports/http/settings_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "transports/http/answer.hpp"
#include "transports/http/header_rules.hpp"
#include "transports/http/raw_topic.hpp"
#include "transports/http/secret_places.hpp"
#include "transports/http/secrets.hpp"

namespace makegood::http {
namespace {

constexpr std::size_t signing_keys_max = 8;
constexpr std::size_t raw_prefixes_max = 64;
constexpr std::string_view tenant_placeholder = "{tenant}";
constexpr std::string_view not_for_tenants =
    "is not among the secrets that tenants may use; the operator allows them with `http.tenant_secrets`";
constexpr std::string_view not_a_place =
    "is not where secrets may be; allowed: file:/run/secrets/…, file:$CREDENTIALS_DIRECTORY/…, env:MAKEGOOD_SECRET_…, "
    "and "
    "what `http.secret_places` names in the configuration of the process";

class SettingsCheck {
 public:
  SettingsCheck(const HttpSettings& settings, Mistakes& mistakes) : settings_(settings), mistakes_(mistakes) {}

  void addresses() {
    if (settings_.url.empty() == settings_.raw_prefixes.empty()) {
      mistakes_.add("url", "or raw_prefixes must be given, and not both");
    }
    if (!settings_.url.empty()) {
      if (const auto url = parse_url(settings_.url); !url) mistakes_.add("url:", without_stop(url.error().message));
    }
    if (settings_.raw_prefixes.size() > raw_prefixes_max) {
      mistakes_.add("raw_prefixes",
                    fmt::format("has {}; allowed: {}", settings_.raw_prefixes.size(), raw_prefixes_max));
    }
    for (const std::string& prefix : settings_.raw_prefixes) {
      if (const auto url = parse_raw_prefix(prefix); !url) {
        mistakes_.add("raw_prefixes:", without_stop(url.error().message));
      }
    }
  }

  void headers() {
    std::size_t bytes = 0;
    for (const auto& [name, value] : settings_.headers) {
      name_of_header("headers", name);
      const std::string setting = fmt::format("headers.{}", shown_header_name(name));
      if (const auto objection = objection_to_value(value)) mistakes_.add(setting, *objection);
      if (trimmed(value).empty()) mistakes_.add(setting, "is empty; leave it out");
      bytes += name.size() + value.size();
    }
    for (const auto& [name, reference] : settings_.secret_headers) {
      name_of_header("secret_headers", name);
      secret(fmt::format("secret_headers.{}", shown_header_name(name)), reference);
      if (is_among(settings_.headers, name))
        mistakes_.add(shown_header_name(name), "is in headers and in secret_headers");
    }
    const std::size_t count = settings_.headers.size() + settings_.secret_headers.size();
    if (count > headers_max || bytes > headers_bytes_max) {
      mistakes_.add("headers", fmt::format("are {} with {} bytes; allowed: {} with {} bytes", count, bytes, headers_max,
                                           headers_bytes_max));
    }
  }

  void signing_keys() {
    if (settings_.signing_keys.size() > signing_keys_max) {
      mistakes_.add("signing_keys",
                    fmt::format("has {}; allowed: {}", settings_.signing_keys.size(), signing_keys_max));
    }
    for (std::size_t index = 0; index < settings_.signing_keys.size(); ++index) {
      secret(fmt::format("signing_keys[{}]", index), settings_.signing_keys.at(index));
    }
  }

  void files(Trust trust) {
    file("ca_file", settings_.ca_file, trust);
    file("client_certificate", settings_.client_certificate, trust);
    file("client_key", settings_.client_key, trust);
    if (settings_.client_certificate.empty() != settings_.client_key.empty()) {
      mistakes_.add("client_certificate", "and client_key must be given together");
    }
  }

  void answers() {
    const auto table = AnswerTable::from(settings_.answers);
    if (!table) mistakes_.add("answers:", without_stop(table.error().message));
  }

 private:
  static std::string_view without_stop(std::string_view sentence) {
    if (sentence.ends_with('.')) sentence.remove_suffix(1);
    return sentence;
  }

  static bool is_among(const std::map<std::string, std::string>& headers, const std::string& name) {
    return std::ranges::any_of(headers, [&](const auto& header) { return is_same_header(header.first, name); });
  }

  static bool is_twice(const std::map<std::string, std::string>& headers, const std::string& name) {
    return std::ranges::count_if(headers, [&](const auto& header) { return is_same_header(header.first, name); }) > 1;
  }

  void name_of_header(std::string_view setting, const std::string& name) {
    const auto& headers = setting == "headers" ? settings_.headers : settings_.secret_headers;
    const std::string where = fmt::format("{}.{}", setting, shown_header_name(name));
    if (const auto objection = objection_to_name(name)) mistakes_.add(where, *objection);
    if (is_twice(headers, name)) mistakes_.add(where, "is there twice; upper and lower case are the same");
  }

  void secret(std::string_view setting, const std::string& reference) {
    if (!check_reference(reference)) {
      mistakes_.add(setting, "must say where the secret is, not what it is; allowed: file:/absolute/path or env:NAME");
    }
  }

  void file(std::string_view setting, const std::string& path, Trust trust) {
    if (path.empty()) return;
    if (trust == Trust::tenants) mistakes_.add(setting, "is for destinations of the operator only; leave it out");
    if (path_of(path).empty()) mistakes_.add(setting, "is not a file; allowed: /absolute/path or file:/absolute/path");
  }

  const HttpSettings& settings_;
  Mistakes& mistakes_;
};

/// An id that would lead out of its folder has no secrets of its own.
bool is_folder_name(std::string_view tenant_id) {
  return !tenant_id.empty() && tenant_id != "." && tenant_id != ".." && tenant_id.find('/') == std::string_view::npos;
}

std::vector<std::string> for_tenant(const std::vector<std::string>& allowed, std::string_view tenant_id) {
  std::vector<std::string> beginnings;
  for (std::string beginning : allowed) {
    const std::size_t place = beginning.find(tenant_placeholder);
    if (place != std::string::npos && !is_folder_name(tenant_id)) continue;
    if (place != std::string::npos) beginning.replace(place, tenant_placeholder.size(), tenant_id);
    beginnings.push_back(std::move(beginning));
  }
  return beginnings;
}

}  // namespace

void check_settings(const HttpSettings& settings, Trust trust, Mistakes& mistakes) {
  SettingsCheck check(settings, mistakes);
  check.addresses();
  check.headers();
  check.signing_keys();
  check.files(trust);
  check.answers();
}

void check_credentials(const HttpSettings& settings, Mistakes& mistakes) {
  for (const auto& [name, value] : settings.headers) {
    if (!is_credential_header(name)) continue;
    mistakes.add(
        fmt::format("headers.{}", name),
        "is a credential, and headers are shown to everybody who may look; it belongs in secret_headers, which "
        "say where it is");
  }
}

std::vector<std::string> places_for(std::string_view tenant_id, const HttpOptions& options) {
  return tenant_id.empty() ? secret_places(options) : for_tenant(options.tenant_secrets, tenant_id);
}

void check_places(const HttpSettings& settings, Trust trust, std::span<const std::string> places, Mistakes& mistakes) {
  const auto check = [&](std::string_view setting, const std::string& reference) {
    if (!check_reference(reference) || is_allowed(reference, places)) return;
    mistakes.add(setting, trust == Trust::tenants ? not_for_tenants : not_a_place);
  };
  for (const auto& [name, reference] : settings.secret_headers)
    check(fmt::format("secret_headers.{}", name), reference);
  for (std::size_t index = 0; index < settings.signing_keys.size(); ++index) {
    check(fmt::format("signing_keys[{}]", index), settings.signing_keys.at(index));
  }
  if (!path_of(settings.client_key).empty()) check("client_key", fmt::format("file:{}", path_of(settings.client_key)));
}

}  // namespace makegood::http
