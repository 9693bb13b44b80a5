#include "proxy/jwt.hpp"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <algorithm>
#include <memory>

#include "base/base64.hpp"
#include "base/digest.hpp"
#include "base/json.hpp"

namespace makegood::proxy {
namespace {

/// Clocks of two machines differ.
constexpr std::int64_t leeway_seconds = 60;

struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
struct FreeDigest {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using PublicKey = std::unique_ptr<EVP_PKEY, FreeKey>;

Error no_token(std::string_view sentence) { return {Errc::invalid, std::string(sentence)}; }

std::optional<std::string> from_base64url(std::string_view text) {
  std::string usual(text);
  std::ranges::replace(usual, '-', '+');
  std::ranges::replace(usual, '_', '/');
  while (usual.size() % 4 != 0) usual += '=';
  if (text.find_first_of("+/=") != text.npos) return {};
  return from_base64(usual);
}

PublicKey public_key_in(const std::string& pem) {
  const std::unique_ptr<BIO, FreeBio> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  return PublicKey(PEM_read_bio_PUBKEY(bio.get(), nullptr, nullptr, nullptr));
}

bool is_signed_by_rsa(std::string_view text, std::string_view signature, const std::string& pem) {
  const PublicKey key = public_key_in(pem);
  const std::unique_ptr<EVP_MD_CTX, FreeDigest> context(EVP_MD_CTX_new());
  if (!key || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA || !context) return false;
  if (EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) != 1) return false;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(signature.data());
  const auto* const content = reinterpret_cast<const unsigned char*>(text.data());
  return EVP_DigestVerify(context.get(), bytes, signature.size(), content, text.size()) == 1;
}

bool is_signed_by_secret(std::string_view text, std::string_view signature, std::string_view secret) {
  const std::string expected = hmac_sha256(secret, text);
  return signature.size() == expected.size() && CRYPTO_memcmp(signature.data(), expected.data(), expected.size()) == 0;
}

bool is_signed(std::string_view text, std::string_view signature, const JwtSubject& rule) {
  return rule.algorithm == JwtSubject::Algorithm::rs256 ? is_signed_by_rsa(text, signature, rule.key)
                                                        : is_signed_by_secret(text, signature, rule.key);
}

/// The algorithm is ours to choose, never the token's: what it names must be the one that is expected.
bool names_algorithm(std::string_view header, JwtSubject::Algorithm algorithm) {
  const auto parsed = json::parse_object(header);
  if (!parsed) return false;
  const json::Value* name = json::member(*parsed, "alg");
  const bool is_critical = json::member(*parsed, "crit") != nullptr;
  return !is_critical && name != nullptr && name->IsString() &&
         json::text_of(*name) == algorithm_words.at(static_cast<std::size_t>(algorithm));
}

bool is_within_time(const json::Value& claims, TimePoint now) {
  const double seconds = static_cast<double>(to_milliseconds(now)) / 1000;
  const json::Value* end = json::member(claims, "exp");
  const json::Value* begin = json::member(claims, "nbf");
  if (end != nullptr && (!end->IsNumber() || seconds > end->GetDouble() + leeway_seconds)) return false;
  return begin == nullptr || (begin->IsNumber() && seconds >= begin->GetDouble() - leeway_seconds);
}

bool has_text(const json::Value* value, std::string_view text) {
  if (value == nullptr) return false;
  if (value->IsString()) return json::text_of(*value) == text;
  if (!value->IsArray()) return false;
  return std::any_of(value->Begin(), value->End(), [&](const json::Value& one) { return has_text(&one, text); });
}

Result<std::string> subject_in(const json::Value& claims, const JwtSubject& rule, TimePoint now) {
  if (!is_within_time(claims, now)) return no_token("The token has expired, or is not valid yet.");
  const json::Value* issuer = json::member(claims, "iss");
  if (!rule.issuer.empty() && !has_text(issuer, rule.issuer)) return no_token("The token is of another issuer.");
  if (!rule.audience.empty() && !has_text(json::member(claims, "aud"), rule.audience)) {
    return no_token("The token is for another audience.");
  }
  const json::Value* subject = json::member(claims, "sub");
  if (subject == nullptr || !subject->IsString() || subject->GetStringLength() == 0) {
    return no_token("The token names no subject.");
  }
  const std::string by = issuer != nullptr && issuer->IsString() ? json::text_of(*issuer) : std::string();
  return fmt::format("{}:{}{}", by.size(), by, json::text_of(*subject));
}

}  // namespace

Result<std::string> subject_of(std::string_view token, const JwtSubject& rule, TimePoint now) {
  const std::size_t first = token.find('.');
  const std::size_t last = token.rfind('.');
  if (first == token.npos || first == last) return no_token("This is no JSON Web Token.");
  const auto header = from_base64url(token.substr(0, first));
  const auto content = from_base64url(token.substr(first + 1, last - first - 1));
  const auto signature = from_base64url(token.substr(last + 1));
  if (!header || !content || !signature) return no_token("This is no JSON Web Token.");
  if (!names_algorithm(*header, rule.algorithm) || !is_signed(token.substr(0, last), *signature, rule)) {
    return no_token("The signature of the token is not right.");
  }
  const auto claims = json::parse_object(*content);
  if (!claims) return no_token("This is no JSON Web Token.");
  return subject_in(*claims, rule, now);
}

Result<> check_jwt_key(const JwtSubject& rule) {
  if (rule.algorithm == JwtSubject::Algorithm::hs256) return {};
  const PublicKey key = public_key_in(rule.key);
  if (key && EVP_PKEY_get_base_id(key.get()) == EVP_PKEY_RSA) return {};
  return Error{Errc::config_invalid, fmt::format("{} is no public RSA key in PEM.", rule.key_file)};
}

}  // namespace makegood::proxy
