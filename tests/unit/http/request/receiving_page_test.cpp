// The worked example of docs/receiving.md: people check their own code against it, so it must be what we send.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "transports/http/header_rules.hpp"
#include "transports/http/signature.hpp"

namespace makegood::http {
namespace {

std::string page_called(const std::string& name) {
  std::ifstream file(MAKEGOOD_DOCS "/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string signature_by(std::string_view key_text) {
  const auto key = SigningKey::from(key_text);
  std::string signature;
  const bool is_signed = key && key->sign("0190163d-8694-739b-aea5-966c26f8ad90", 1718000000,
                                          R"({"order": 7, "total": "19.90"})", signature);
  return is_signed ? "| `" + signature + "` |" : "no signature";
}

TEST(ReceivingPage, ShowsTheSignaturesThatWeMake) {
  const std::string page = page_called("receiving.md");
  EXPECT_NE(page.find(signature_by("whsec_bWFrZWdvb2QgZXhhbXBsZSBrZXksIG5vIHNlY3JldA==")), std::string::npos);
  EXPECT_NE(page.find(signature_by("whsk_ERERERERERERERERERERERERERERERERERERERERERE=")), std::string::npos);
}

TEST(HttpPage, NamesTheLimitsOfHeaders) {
  const std::string page = page_called("http.md");
  EXPECT_NE(page.find("at most " + std::to_string(header_name_bytes_max) + " bytes. A value"), std::string::npos);
  static_assert(header_value_bytes_max == 4096 && headers_bytes_max == 8192);  // As written there, with a comma.
  EXPECT_NE(page.find("at most 4,096 bytes: no control"), std::string::npos);
  EXPECT_NE(page.find("At most " + std::to_string(headers_max) + " headers and 8,192 bytes in all"), std::string::npos);
}

}  // namespace
}  // namespace makegood::http
