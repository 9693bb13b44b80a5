#include "transports/http/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/mistakes.hpp"
#include "transports/http/header_rules.hpp"
#include "transports/http/raw_topic.hpp"
#include "transports/http/secrets.hpp"
#include "transports/http/settings_check.hpp"
#include "transports/net/secret_places.hpp"

namespace makegood::http {
namespace {

constexpr std::string_view user_agent = "User-Agent";

Result<HttpSettings> checked_settings(const Destination& destination, std::span<const std::string> places) {
  const std::string who = fmt::format("The destination {}", destination.name);
  auto settings = decode_http_settings(destination.settings.empty() ? "{}" : destination.settings);
  if (!settings) return Error{settings.error().code, fmt::format("{}: {}", who, settings.error().message)};
  Mistakes mistakes;
  const Trust trust = destination.tenant_id.empty() ? Trust::operators : Trust::tenants;
  check_settings(*settings, trust, mistakes);
  check_places(*settings, trust, places, mistakes);
  if (!mistakes.empty()) return mistakes.as_error(who, Errc::config_invalid);
  return settings;
}

void use_plain_paths(HttpSettings& settings) {
  for (std::string* file : {&settings.ca_file, &settings.client_certificate, &settings.client_key}) {
    *file = std::string(path_of(*file));
  }
}

void add_headers(Target& target) {
  for (const auto& [name, value] : target.settings.headers) {
    target.constant_headers.push_back(fmt::format("{}: {}", name, trimmed(value)));
    target.own_names.push_back(name);
  }
  for (const auto& [name, reference] : target.settings.secret_headers) target.own_names.push_back(name);
  const auto is_user_agent = [](const std::string& name) { return is_same_header(name, user_agent); };
  if (std::ranges::any_of(target.own_names, is_user_agent)) return;
  target.constant_headers.push_back(fmt::format("{}: makegood/{}", user_agent, MAKEGOOD_VERSION));
  target.own_names.emplace_back(user_agent);
}

}  // namespace

Result<TargetPtr> make_target(const Destination& destination, const HttpOptions& options) {
  auto target = std::make_shared<Target>();
  target->secret_places = places_for(destination.tenant_id, options);
  target->settings = MAKEGOOD_TRY(checked_settings(destination, target->secret_places));
  use_plain_paths(target->settings);
  target->answers = MAKEGOOD_TRY(AnswerTable::from(target->settings.answers));
  const bool is_raw = target->settings.url.empty();
  if (!is_raw) target->url = std::make_shared<Url>(MAKEGOOD_TRY(parse_url(target->settings.url)));
  for (const std::string& prefix : target->settings.raw_prefixes) {
    target->raw_prefixes.push_back(MAKEGOOD_TRY(parse_raw_prefix(prefix)));
  }
  // Whoever may insert a message chooses a raw URL, so the operator's own networks are not for it.
  target->trust = is_raw || !destination.tenant_id.empty() ? Trust::tenants : Trust::operators;
  add_headers(*target);
  return TargetPtr(std::move(target));
}

Result<UrlPtr> url_for(const Target& target, std::string_view topic) {
  if (target.url != nullptr) return target.url;
  return std::make_shared<const Url>(MAKEGOOD_TRY(parse_raw_topic(topic, target.raw_prefixes)));
}

Result<UrlPtr> url_below(const Target& target, std::string_view path) {
  if (target.url == nullptr) return Error{Errc::config_invalid, "A step needs a destination with a URL of its own."};
  if (path.empty()) return target.url;
  auto below = std::make_shared<Url>(*target.url);
  const std::size_t query = std::min(below->text.find('?'), below->text.size());
  const bool has_slash = query > 0 && below->text[query - 1] == '/';
  below->text.insert(query, std::string(has_slash ? "" : "/").append(path));
  return UrlPtr(std::move(below));
}

}  // namespace makegood::http

namespace makegood {

Result<> check_http_destination(const Destination& destination, const HttpOptions& options) {
  const http::TargetPtr target = MAKEGOOD_TRY(http::make_target(destination, options));
  const http::Guard guard = MAKEGOOD_TRY(http::Guard::from(options));
  if (target->url != nullptr) MAKEGOOD_TRY(check(guard, *target->url, target->trust));
  for (const std::string& prefix : target->raw_prefixes) {
    const http::Url url = MAKEGOOD_TRY(http::parse_url(prefix));
    MAKEGOOD_TRY(check(guard, url, target->trust));
  }
  return {};
}

}  // namespace makegood
