#include "base/saga_token.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/digest.hpp"

namespace makegood {
namespace {

const std::string key = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

SagaCallback a_callback() {
  return {
      .tenant_id = "acme", .execution = "order-7", .step = "payment", .direction = "action", .round = 1, .attempt = 2};
}

std::string hex(const std::string& bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char c : bytes) {
    text += digits[static_cast<unsigned char>(c) >> 4];
    text += digits[static_cast<unsigned char>(c) & 15];
  }
  return text;
}

}  // namespace

TEST(Digest, SignsAsRfc4231Says) {
  EXPECT_EQ(hex(hmac_sha256("Jefe", "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex(hmac_sha256(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
  EXPECT_EQ(long_digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(SagaToken, TellsWhichAttemptItSpeaksOf) {
  const std::string token = sign_callback(key, a_callback());
  EXPECT_EQ(token.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_"),
            std::string::npos);
  EXPECT_EQ(verify_callback(key, token, "order-7", "payment"), a_callback());
}

TEST(SagaToken, IsGoodForItsOwnExecutionAndStepOnly) {
  const std::string token = sign_callback(key, a_callback());
  EXPECT_EQ(verify_callback(key, token, "order-8", "payment"), std::nullopt);
  EXPECT_EQ(verify_callback(key, token, "order-7", "shipment"), std::nullopt);
  EXPECT_EQ(verify_callback("another key", token, "order-7", "payment"), std::nullopt);
}

TEST(SagaToken, IsNotGoodWhenAnyPartOfItIsChanged) {
  const std::string token = sign_callback(key, a_callback());
  for (std::size_t at = 0; at < token.size(); ++at) {
    std::string changed = token;
    changed[at] = changed[at] == 'A' ? 'B' : 'A';
    EXPECT_EQ(verify_callback(key, changed, "order-7", "payment"), std::nullopt) << changed;
  }
  EXPECT_EQ(verify_callback(key, token.substr(0, token.size() - 1), "order-7", "payment"), std::nullopt);
  EXPECT_EQ(verify_callback(key, "", "order-7", "payment"), std::nullopt);
}

TEST(SagaToken, DoesNotMixItsParts) {
  SagaCallback one = a_callback();
  one.execution = "a\n7:payment";
  one.step = "b";
  SagaCallback other = a_callback();
  other.execution = "a";
  other.step = "payment\n1:b";
  EXPECT_NE(sign_callback(key, one), sign_callback(key, other));
}

TEST(SagaToken, StandsInAnAddress) {
  SagaCallback callback = a_callback();
  callback.execution = "order/7 ä";
  const std::string path = callback_path(key, callback);
  EXPECT_TRUE(path.starts_with("/api/saga/executions/order%2F7%20%C3%A4/steps/payment/answer?token=1.")) << path;
}

}  // namespace makegood
