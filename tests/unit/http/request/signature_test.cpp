// Against the vector that the libraries of Standard Webhooks share, and against OpenSSL's own check of Ed25519.
#include "transports/http/signature.hpp"

#include <gtest/gtest.h>

#include "base/base64.hpp"

namespace makegood::http {
namespace {

constexpr std::string_view shared_key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

std::string signature_by(std::string_view key_text, std::string_view id, std::int64_t seconds, std::string_view body) {
  const auto key = SigningKey::from(key_text);
  if (!key) return key.error().message;
  std::string signature;
  const auto done = key->sign(id, seconds, body, signature);
  return done ? signature : done.error().message;
}

std::string encoded(std::string_view prefix, const std::string& bytes) {
  return std::string(prefix) + to_base64(bytes);
}

TEST(Signature, IsTheOneThatEveryVerifierExpects) {
  EXPECT_EQ(signature_by(shared_key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, R"({"test": 2432232314})"),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

TEST(Signature, IsMadeAgainAndAgainWithTheSameKey) {
  const auto key = SigningKey::from(shared_key);
  ASSERT_TRUE(key);
  std::string first;
  std::string second;
  std::string other;
  ASSERT_TRUE(key->sign("a", 1, "x", first) && key->sign("a", 1, "y", other) && key->sign("a", 1, "x", second));
  EXPECT_EQ(first, second);
  EXPECT_NE(first, other);
}

/// What a receiver does with the public key.
bool is_signed_by(const std::string& seed, const std::string& signed_text, const std::string& signature) {
  const std::unique_ptr<EVP_PKEY, FreeKey> pair(
      EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, octets_of(seed), seed.size()));
  std::array<unsigned char, 32> raw = {};
  std::size_t length = raw.size();
  EVP_PKEY_get_raw_public_key(pair.get(), raw.data(), &length);
  const std::unique_ptr<EVP_PKEY, FreeKey> public_key(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, raw.data(), length));
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  const std::string bytes = from_base64(signature.substr(4)).value_or("");
  return EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, public_key.get()) == 1 &&
         EVP_DigestVerify(context.get(), octets_of(bytes), bytes.size(), octets_of(signed_text), signed_text.size()) ==
             1;
}

TEST(Signature, OfAPairIsVerifiedByItsPublicKey) {
  const std::string seed(32, '\x11');
  const std::string signature = signature_by(encoded("whsk_", seed), "event-1", 1700000000, "body");
  EXPECT_TRUE(signature.starts_with("v1a,")) << signature;
  EXPECT_TRUE(is_signed_by(seed, "event-1.1700000000.body", signature));
  EXPECT_FALSE(is_signed_by(seed, "event-1.1700000000.bodY", signature));
}

TEST(Signature, TakesASeedWithItsPublicKeyBehindIt) {
  const std::string seed(32, '\x11');
  EXPECT_EQ(signature_by(encoded("whsk_", seed + std::string(32, 'p')), "a", 1, "b"),
            signature_by(encoded("whsk_", seed), "a", 1, "b"));
}

TEST(Signature, RefusesKeysThatAreTooShortOrTooLongOrNoneWithoutRepeatingThem) {
  for (const std::string& text :
       {encoded("whsec_", std::string(23, 'k')), encoded("whsec_", std::string(65, 'k')), std::string("whsec_"),
        std::string("whsec_notBase64!"), encoded("whsk_", std::string(31, 'k')), encoded("whpk_", std::string(32, 'k')),
        std::string("TopSecret"), std::string()}) {
    const auto key = SigningKey::from(text);
    ASSERT_FALSE(key) << text;
    EXPECT_EQ(key.error().code, Errc::config_invalid);
    EXPECT_TRUE(text.size() <= 6 || key.error().message.find(text) == std::string::npos) << key.error().message;
  }
  EXPECT_TRUE(SigningKey::from(encoded("whsec_", std::string(24, 'k'))));
  EXPECT_TRUE(SigningKey::from(encoded("whsec_", std::string(64, 'k'))));
}

}  // namespace
}  // namespace makegood::http
