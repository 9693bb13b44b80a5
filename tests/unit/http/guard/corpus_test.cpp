// Goal: nothing in the corpus gets through. Method: each vector takes the way of a delivery (parse, check, look up with
// a name server of our own, check again) without the connection at its end; what refuses it is compared with the file.
#include <gtest/gtest.h>

#include <string_view>

#include "tests/support/dns_server.hpp"
#include "tests/support/fake_clock.hpp"
#include "tests/unit/http/guard/corpus.hpp"
#include "tests/unit/http/guard/resolver_loop.hpp"
#include "transports/http/url.hpp"
#include "transports/net/guard.hpp"

namespace makegood::http {
namespace {

constexpr std::string_view passed = "nobody";

class Corpus : public testing::Test {
 protected:
  /// Who refuses it. The look-ups before the last one have to pass.
  std::string refused_by(const Vector& vector, Trust trust) {
    const Result<Url> url = parse_url(vector.url);
    if (!url) return "url";
    if (const Result<> checked = check(guard_, *url, trust); !checked) return part_that_says(checked.error().message);
    if (vector.answers.empty()) return std::string(passed);
    dns_.script(url->host, vector.answers);
    clock_.advance(std::chrono::minutes(2));  // What an earlier vector has left in the cache.
    for (std::size_t look_up = 1; look_up <= vector.answers.size(); ++look_up) {
      const auto addresses = loop_.look_up(url->host);
      if (!addresses) return "the name server: " + addresses.error().message;
      if (!guard_.check(*addresses, trust)) return look_up == vector.answers.size() ? "lookup" : "lookup, too early";
      clock_.advance(std::chrono::seconds(1));  // The least that an answer is kept.
    }
    return std::string(passed);
  }

  static std::string part_that_says(std::string_view message) {
    if (message.starts_with("Port ")) return "port";
    if (message.starts_with("The host ")) return "name";
    return message.starts_with("The destination's address ") ? "address" : std::string(message);
  }

  testing_support::DnsServer dns_;
  testing_support::FakeClock clock_;
  ResolverLoop loop_{{dns_.server()}, clock_};
  Guard guard_ = *Guard::from({});
};

const std::string folder = MAKEGOOD_TEST_FOLDER;

TEST_F(Corpus, LetsNoTenantThrough) {
  const auto vectors = read_corpus(folder + "/ssrf_corpus.txt");
  EXPECT_GE(vectors.size(), 60U);
  for (const Vector& vector : vectors) {
    EXPECT_EQ(refused_by(vector, Trust::tenants), vector.first) << "line " << vector.line << ": " << vector.why;
  }
}

TEST_F(Corpus, LetsOperatorsThroughOnlyWhereOnlyTenantsAreRefused) {
  for (const Vector& vector : read_corpus(folder + "/ssrf_corpus.txt")) {
    const bool is_for_all = vector.who == "all";
    const std::string expected = is_for_all ? vector.first : std::string(passed);
    EXPECT_EQ(refused_by(vector, Trust::operators), expected) << "line " << vector.line << ": " << vector.why;
  }
}

TEST_F(Corpus, NoSettingLetsTenantsThroughWhereOperatorsAreRefused) {
  guard_ = *Guard::from({.tenant_networks = {"0.0.0.0/0", "::/0"}});
  for (const Vector& vector : read_corpus(folder + "/ssrf_corpus.txt")) {
    if (vector.who != "all") continue;
    EXPECT_EQ(refused_by(vector, Trust::tenants), vector.first) << "line " << vector.line << ": " << vector.why;
  }
}

TEST_F(Corpus, AcceptsWhatIsGood) {
  const auto vectors = read_corpus(folder + "/good_urls.txt");
  EXPECT_GE(vectors.size(), 25U);
  for (const Vector& vector : vectors) {
    const bool is_for_tenants = vector.who == "tenants";
    const auto where = testing::Message() << "line " << vector.line << ": " << vector.why;
    EXPECT_EQ(refused_by(vector, Trust::operators), passed) << where;
    const std::string by = refused_by(vector, Trust::tenants);
    EXPECT_EQ(by == passed, is_for_tenants) << where << ": " << by;
    EXPECT_EQ(parse_url(vector.url)->text, vector.first) << where;
  }
}

}  // namespace
}  // namespace makegood::http
