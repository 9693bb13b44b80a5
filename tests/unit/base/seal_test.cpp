// The file of keys that seals stored answers.

#include "base/sealed_result.hpp"

#include <gtest/gtest.h>

namespace makegood {
namespace {

const std::string hex_digits = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
const IdempotencyKey sealed_key{.scope = "s", .key = "k"};
const Snapshot plain_answer{.status = 201, .headers = "[]", .body = "a secret answer"};

TEST(SealFile, HasAKeyInEachLine) {
  const auto seal = parse_seal("# of June\r\n\r\n2024-06_a.b " + hex_digits + "\r\n1 " + hex_digits, "file").value();
  const Snapshot sealed = seal->close(plain_answer, sealed_key).value();
  EXPECT_EQ(sealer_of(sealed), "2024-06_a.b") << "the first one seals";
  EXPECT_EQ(seal->open(sealed, sealed_key).value(), plain_answer);
}

TEST(SealFile, TellsWhatIsWrongWithItAndNeverWhatIsInIt) {
  for (const std::string& text :
       {std::string(), "1 " + hex_digits.substr(2), "1 " + hex_digits + "00", "1 zz" + hex_digits.substr(2), hex_digits,
        "1\t" + hex_digits, " " + hex_digits, std::string(33, 'i') + " " + hex_digits, "\"1\" " + hex_digits,
        "1 " + hex_digits + "\n1 " + hex_digits}) {
    const auto seal = parse_seal(text, "/etc/seal.keys");
    ASSERT_FALSE(seal) << text;
    EXPECT_EQ(seal.error().code, Errc::config_invalid);
    EXPECT_NE(seal.error().message.find("/etc/seal.keys"), std::string::npos);
    EXPECT_EQ(seal.error().message.find("0405"), std::string::npos) << seal.error().message;
  }
  EXPECT_NE(read_seal("/no/such/file").error().message.find("/no/such/file"), std::string::npos);
}

TEST(Seal, UsesNoNonceTwice) {
  const auto seal = parse_seal("1 " + hex_digits, "file").value();
  EXPECT_NE(seal->close(plain_answer, sealed_key)->body, seal->close(plain_answer, sealed_key)->body);
  EXPECT_EQ(seal->close(plain_answer, sealed_key)->body.find("secret"), std::string::npos);
}

TEST(Seal, NoticesEveryChange) {
  const auto seal = parse_seal("1 " + hex_digits, "file").value();
  const Snapshot sealed = seal->close(plain_answer, sealed_key).value();
  for (std::size_t i = 0; i < sealed.body.size(); ++i) {
    Snapshot changed = sealed;
    changed.body[i] = static_cast<char>(changed.body[i] ^ 1);
    EXPECT_EQ(seal->open(changed, sealed_key).error().code, Errc::store_corrupt);
  }
  Snapshot other = sealed;
  other.status = 200;
  EXPECT_FALSE(seal->open(other, sealed_key));
  other = sealed;
  other.body.resize(20);
  EXPECT_FALSE(seal->open(other, sealed_key));
  EXPECT_FALSE(seal->open(sealed, {.tenant_id = "d", .scope = "efaults", .key = "k"}));
}

/// Headers are a text of their user, who may have written anything that is not ours.
TEST(Seal, TakesNobodyElsesHeadersForItsOwn) {
  for (const char* headers : {"", "{}", R"({"sealed":"1"})", R"([["makegood_seal","1"]])", R"({"makegood_seal":1})"}) {
    EXPECT_EQ(sealer_of({.headers = headers}), "") << headers;
  }
}

}  // namespace
}  // namespace makegood
