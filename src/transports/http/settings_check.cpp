#include "transports/http/settings_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "transports/http/answer.hpp"
#include "transports/http/header_rules.hpp"
#include "transports/http/raw_topic.hpp"
#include "transports/http/secrets.hpp"
#include "transports/net/secret_rules.hpp"

namespace makegood::http {
namespace {

constexpr std::size_t signing_keys_max = 8;
constexpr std::size_t raw_prefixes_max = 64;
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
      check_secret(fmt::format("secret_headers.{}", shown_header_name(name)), reference, mistakes_);
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
      check_secret(fmt::format("signing_keys[{}]", index), settings_.signing_keys.at(index), mistakes_);
    }
  }

  void files(Trust trust) { check_tls_files(settings_, trust, mistakes_); }

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

  const HttpSettings& settings_;
  Mistakes& mistakes_;
};

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

void check_places(const HttpSettings& settings, Trust trust, std::span<const std::string> places, Mistakes& mistakes) {
  const auto check = [&](std::string_view setting, const std::string& reference) {
    check_place(setting, reference, trust, places, mistakes);
  };
  for (const auto& [name, reference] : settings.secret_headers)
    check(fmt::format("secret_headers.{}", name), reference);
  for (std::size_t index = 0; index < settings.signing_keys.size(); ++index) {
    check(fmt::format("signing_keys[{}]", index), settings.signing_keys.at(index));
  }
  if (!path_of(settings.client_key).empty()) check("client_key", fmt::format("file:{}", path_of(settings.client_key)));
}

}  // namespace makegood::http
