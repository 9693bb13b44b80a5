#include "transports/http/kind.hpp"

#include <array>
#include <utility>

namespace makegood::http {
namespace {

constexpr std::string_view http_scheme = "http";

using FlagForm = SettingFlag::Form;

constexpr auto setting_flags = std::to_array<SettingFlag>({
    {"--url", "url", FlagForm::text, "URL", "Where to; this or --raw-prefix"},
    {"--raw-prefix", "raw_prefixes", FlagForm::texts, "URL", "Beginnings of URLs that topics http:<url> may name"},
    {"--header", "headers", FlagForm::pairs, "NAME=VALUE", "Shown to all who may look; may be repeated"},
    {"--secret-header", "secret_headers", FlagForm::pairs, "N=WHERE",
     "Where its value is: N=env:VARIABLE or N=file:PATH"},
    {"--signing-key", "signing_keys", FlagForm::texts, "WHERE", "Where the key is: env:VARIABLE or file:PATH"},
    {"--format", "format", FlagForm::text, "WORD", "Of CloudEvents: binary or structured"},
    {"--ca-file", "ca_file", FlagForm::text, "FILE", "A PEM file that is trusted instead of the system's"},
    {"--client-cert", "client_certificate", FlagForm::two_texts, "PEM,PEM",
     "The PEM files of a client certificate and of its key", "client_key"},
});

class HttpKind final : public TransportKind {
 public:
  explicit HttpKind(HttpOptions options) : options_(std::move(options)) {}

  std::string_view scheme() const override { return http_scheme; }
  Instances instances() const override { return Instances::one_for_all; }
  std::string_view least() const override { return "a url"; }
  std::span<const SettingFlag> flags() const override { return setting_flags; }

  Result<Changed> change(std::string_view present, std::string_view document) const override {
    const auto stored = decode_http_settings(present.empty() ? "{}" : present);
    const HttpSettings before = stored ? *stored : HttpSettings{};
    const HttpSettings after = MAKEGOOD_TRY(decode_http_settings(document, before));
    return Changed{.settings = encode(after), .lost_secrets = lost_secrets(before, after)};
  }

  Result<Destination> check(Destination destination) const override {
    const HttpSettings settings = MAKEGOOD_TRY(decode_http_settings(destination.settings));
    const std::string name = destination.name.substr(http_scheme.size() + 1);
    Destination checked = MAKEGOOD_TRY(http_destination(name, settings, std::move(destination)));
    MAKEGOOD_TRY(check_http_destination(checked, options_));
    return checked;
  }

  Result<std::unique_ptr<Transport>> open() const override { return new_http_transport(options_); }

 private:
  const HttpOptions options_;
};

}  // namespace

std::unique_ptr<const TransportKind> new_kind(HttpOptions options) {
  return std::make_unique<HttpKind>(std::move(options));
}

}  // namespace makegood::http
