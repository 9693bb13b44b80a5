#include "transports/http/target.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "tests/unit/http/request/a_delivery.hpp"
#include "transports/net/secret_places.hpp"

namespace makegood::http {
namespace {

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string refusal_of(const Destination& destination, const HttpOptions& options = {}) {
  const auto target = make_target(destination, options);
  return target ? "" : target.error().message;
}

Destination of_tenant(const std::string& reference) {
  return {.name = "http:a",
          .tenant_id = "acme",
          .settings = encode({.url = "https://a.example/", .secret_headers = {{"Authorization", reference}}})};
}

TEST(Target, IsTheOperatorsOrATenants) {
  EXPECT_EQ(target_of({.url = "https://a.example/"})->trust, Trust::operators);
  EXPECT_EQ(target_of({.url = "https://a.example/"}, "acme")->trust, Trust::tenants);
}

TEST(Target, OfRawTopicsIsTrustedNoMoreThanATenants) {
  EXPECT_EQ(target_of({.raw_prefixes = {"https://a.example/"}})->trust, Trust::tenants);
}

TEST(Target, NamesTheDestinationThatHasTheMistakes) {
  EXPECT_TRUE(has(refusal_of({.name = "http:a", .settings = R"({"urls": 1})"}), "The destination http:a: "));
  EXPECT_TRUE(has(refusal_of({.name = "http:a", .settings = "{}"}), "The destination http:a has 1 mistake: url or"));
  EXPECT_TRUE(has(refusal_of({.name = "http:a"}), "url or raw_prefixes must be given"));
}

TEST(Target, OfATenantUsesTheSecretsThatAreAllowedOnly) {
  const HttpOptions options{.tenant_secrets = {"file:/run/secrets/tenants/{tenant}/"}};
  EXPECT_EQ(refusal_of(of_tenant("file:/run/secrets/tenants/acme/token"), options), "");
  EXPECT_TRUE(has(refusal_of(of_tenant("file:/run/secrets/tenants/other/token"), options), "tenant_secrets"));
  EXPECT_TRUE(has(refusal_of(of_tenant("env:PATH"), options), "secret_headers.Authorization is not among"));
  EXPECT_TRUE(has(refusal_of(of_tenant("file:/run/secrets/tenants/acme/token")), "tenant_secrets"));
}

TEST(Target, OfTheOperatorUsesSecretsFromTheirPlacesOnly) {
  const auto refusal = [](const HttpSettings& settings, const HttpOptions& options = {}) {
    return refusal_of({.name = "http:a", .settings = encode(settings)}, options);
  };
  const auto with = [](const std::string& reference) {
    return HttpSettings{.url = "https://a.example/", .signing_keys = {reference}};
  };
  for (const char* good : {"file:/run/secrets/key", "file:/run/secrets/a/b", "env:MAKEGOOD_SECRET_A"}) {
    EXPECT_EQ(refusal(with(good)), "") << good;
  }
  for (const char* bad : {"file:/etc/shadow", "file:/proc/self/environ", "env:PATH", "env:MAKEGOOD_TOKENS",
                          "file:/run/secretsx/key", "file:/run/secrets"}) {
    EXPECT_TRUE(has(refusal(with(bad)), "signing_keys[0] is not where secrets may be; allowed: file:/run/secrets/"))
        << bad;
  }
  EXPECT_TRUE(has(refusal({.url = "https://a.example/", .secret_headers = {{"x-a", "env:PATH"}}}),
                  "secret_headers.x-a is not where secrets may be"));
  EXPECT_TRUE(has(refusal({.url = "https://a.example/",
                           .client_certificate = "/etc/client.pem",
                           .client_key = "/etc/ssl/private/host.key"}),
                  "client_key is not where secrets may be"));
  EXPECT_EQ(refusal(with("file:/etc/shop/key"), {.secret_places = {"file:/etc/shop"}}), "");
}

TEST(Target, FindsTheCredentialsOfItsService) {
  ::setenv("CREDENTIALS_DIRECTORY", "/run/credentials/makegood.service", 1);
  const auto places = secret_places({});
  ::unsetenv("CREDENTIALS_DIRECTORY");
  EXPECT_NE(std::ranges::find(places, "file:/run/credentials/makegood.service/"), places.end());
}

TEST(Target, ThatWasStoredWithACredentialInPlainSightGoesOn) {
  const HttpSettings settings{.url = "https://a.example/", .headers = {{"Authorization", "Basic x"}}};
  EXPECT_EQ(refusal_of({.name = "http:a", .settings = encode(settings)}), "");
}

TEST(Target, IsCheckedAgainstTheProcessBeforeItIsUsed) {
  const auto refusal = [](const HttpSettings& settings, const std::string& tenant, const HttpOptions& options = {}) {
    const auto checked =
        check_http_destination({.name = "http:a", .tenant_id = tenant, .settings = encode(settings)}, options);
    return checked ? std::string() : checked.error().message;
  };
  EXPECT_EQ(refusal({.url = "http://10.0.0.1:8080/"}, ""), "");
  EXPECT_TRUE(has(refusal({.url = "http://10.0.0.1/"}, "acme"), "`http.tenant_networks`"));
  EXPECT_EQ(refusal({.url = "http://10.0.0.1/"}, "acme", {.tenant_networks = {"10.0.0.0/8"}}), "");
  EXPECT_TRUE(has(refusal({.url = "http://169.254.169.254/"}, ""), "no setting allows it"));
  EXPECT_TRUE(has(refusal({.raw_prefixes = {"https://a.example/", "http://10.0.0.1/"}}, ""), "`http.tenant_networks`"));
  EXPECT_TRUE(
      has(refusal({.url = "https://a.example/", .signing_keys = {"env:PATH"}}, "acme"), "`http.tenant_secrets`"));
  EXPECT_EQ(refusal({.url = "https://a-name-that-is-looked-up-later.example/"}, "acme"), "");
}

TEST(Target, OfATenantWhoseIdLeadsOutOfItsFolderHasNoSecrets) {
  const HttpOptions options{.tenant_secrets = {"file:/run/secrets/tenants/{tenant}"}};
  for (const std::string id : {"..", ".", "a/b"}) {
    Destination destination = of_tenant("file:/run/secrets/tenants/" + id + "/token");
    destination.tenant_id = id;
    EXPECT_NE(refusal_of(destination, options), "") << id;
  }
}

TEST(Target, HasPlainPathsForItsFiles) {
  const TargetPtr target = target_of({.url = "https://a.example/",
                                      .ca_file = "/etc/ca.pem",
                                      .client_certificate = "file:/etc/client.pem",
                                      .client_key = "file:/run/secrets/client.key"});
  ASSERT_NE(target, nullptr);
  EXPECT_EQ(target->settings.ca_file, "/etc/ca.pem");
  EXPECT_EQ(target->settings.client_certificate, "/etc/client.pem");
  EXPECT_EQ(target->settings.client_key, "/run/secrets/client.key");
}

TEST(Target, SaysWhoWeAreUnlessTheDestinationSaysOtherwise) {
  EXPECT_EQ(target_of({.url = "https://a.example/"})->constant_headers,
            std::vector<std::string>{"User-Agent: makegood/" MAKEGOOD_VERSION});
  EXPECT_EQ(target_of({.url = "https://a.example/", .headers = {{"user-agent", "shop/2"}}})->constant_headers,
            std::vector<std::string>{"user-agent: shop/2"});
}

class RawTopic : public testing::Test {
 protected:
  bool is_allowed(std::string_view url) const {
    const auto found = url_for(*target_, "http:" + std::string(url));
    EXPECT_TRUE(found || found.error().code == Errc::invalid);
    return found.has_value();
  }
  TargetPtr target_ = target_of({.raw_prefixes = {"https://Hooks.example.com/in", "http://b.example:8080/"}});
};

TEST_F(RawTopic, LeadsToItsUrlIfThatBeginsWithAnAllowedPrefix) {
  const auto url = url_for(*target_, "http:https://hooks.example.com/in/7?a=b");
  ASSERT_TRUE(url) << url.error().message;
  EXPECT_EQ((*url)->text, "https://hooks.example.com/in/7?a=b");
  EXPECT_TRUE(is_allowed("https://hooks.example.com/in"));
  EXPECT_TRUE(is_allowed("https://hooks.example.com/in?a"));
  EXPECT_TRUE(is_allowed("https://HOOKS.example.com:443/in/"));
  EXPECT_TRUE(is_allowed("http://b.example:8080/anything"));
}

TEST_F(RawTopic, IsRefusedWhenHostPortOrSchemeDiffer) {
  EXPECT_FALSE(is_allowed("http://hooks.example.com/in"));
  EXPECT_FALSE(is_allowed("https://hooks.example.com:8443/in"));
  EXPECT_FALSE(is_allowed("https://hooks.example.com.evil.example/in"));
  EXPECT_FALSE(is_allowed("https://evil.example/https://hooks.example.com/in"));
  EXPECT_FALSE(is_allowed("https://hooks.example.com@evil.example/in"));
  EXPECT_FALSE(is_allowed("http://b.example/"));
  EXPECT_FALSE(is_allowed("http://b.example:80801/"));
}

TEST_F(RawTopic, StaysBelowThePathOfItsPrefix) {
  EXPECT_FALSE(is_allowed("https://hooks.example.com/inside"));
  EXPECT_FALSE(is_allowed("https://hooks.example.com/"));
  EXPECT_FALSE(is_allowed("https://hooks.example.com/in/../admin"));
  EXPECT_FALSE(is_allowed("https://hooks.example.com/in/%2e%2e/admin"));
  EXPECT_FALSE(is_allowed("https://hooks.example.com/in/%2E./admin"));
  EXPECT_FALSE(is_allowed("https://hooks.example.com/in/..%2fadmin"));
  EXPECT_FALSE(is_allowed("https://hooks.example.com/in/x%2f..%2f../admin"));
  EXPECT_FALSE(is_allowed("https://hooks.example.com/in/%252e%252e/admin"));
  EXPECT_FALSE(is_allowed("https://hooks.example.com/in\\..\\admin"));
}

TEST_F(RawTopic, IsNoOtherTopic) {
  EXPECT_FALSE(url_for(*target_, "order.created"));
  EXPECT_FALSE(url_for(*target_, "https://hooks.example.com/in"));
}

TEST(RawPrefix, IsRefusedWithAQueryOrDotsToClimbWith) {
  for (const std::string prefix : {"https://a.example/?x", "https://a.example/a/../b", "https://a.example/%2e%2e/",
                                   "a.example", "ftp://a.example/"}) {
    EXPECT_EQ(target_of({.raw_prefixes = {prefix}}), nullptr) << prefix;
  }
}

}  // namespace
}  // namespace makegood::http
