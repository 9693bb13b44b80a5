#include "transports/net/secret_rules.hpp"

#include "transports/net/secrets.hpp"

namespace makegood::net {
namespace {

constexpr std::string_view not_for_tenants =
    "is not among the secrets that tenants may use; the operator allows them with `http.tenant_secrets`";
constexpr std::string_view not_a_place =
    "is not where secrets may be; allowed: file:/run/secrets/…, file:$CREDENTIALS_DIRECTORY/…, env:MAKEGOOD_SECRET_…, "
    "and "
    "what `http.secret_places` names in the configuration of the process";

}  // namespace

void check_secret(std::string_view setting, const std::string& reference, Mistakes& mistakes) {
  if (check_reference(reference)) return;
  mistakes.add(setting, "must say where the secret is, not what it is; allowed: file:/absolute/path or env:NAME");
}

void check_file(std::string_view setting, const std::string& path, Trust trust, Mistakes& mistakes) {
  if (path.empty()) return;
  if (trust == Trust::tenants) mistakes.add(setting, "is for destinations of the operator only; leave it out");
  if (path_of(path).empty()) mistakes.add(setting, "is not a file; allowed: /absolute/path or file:/absolute/path");
}

void check_place(std::string_view setting, const std::string& reference, Trust trust,
                 std::span<const std::string> places, Mistakes& mistakes) {
  if (!check_reference(reference) || is_allowed(reference, places)) return;
  mistakes.add(setting, trust == Trust::tenants ? not_for_tenants : not_a_place);
}

}  // namespace makegood::net
