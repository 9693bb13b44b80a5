#include <gtest/gtest.h>

#include "config/kubernetes.hpp"
#include "tests/unit/config/sources.hpp"

namespace makegood::config {
namespace {

class Pod : public ::testing::Test {
 protected:
  std::string account(const std::string& authority, const std::string& name_space) {
    folder_.write("ca.crt", authority);
    folder_.write("namespace", name_space);
    return folder_.path("");
  }
  std::string environment(const std::string& authority, const std::string& name_space) {
    return load({.service_account = account(authority, name_space)}).config.store.environment;
  }

  const TemporaryFolder folder_;
};

TEST_F(Pod, HasAnEnvironmentMadeOfClusterAndNamespace) {
  const std::string shop = environment("a certificate", "shop");
  EXPECT_TRUE(shop.starts_with("kubernetes-")) << shop;
  EXPECT_EQ(environment("a certificate", "shop"), shop);
  EXPECT_NE(environment("a certificate", "staging"), shop);
  EXPECT_NE(environment("another certificate", "shop"), shop);
}

TEST_F(Pod, SaysWhereItsEnvironmentComesFrom) {
  const Loaded loaded = load({.service_account = account("a certificate", "shop")});
  EXPECT_TRUE(loaded.findings.mistakes.empty());
  EXPECT_EQ(to_string(origin_of(loaded.config, "store.environment")), "cluster and namespace");
}

TEST_F(Pod, GivesWayToAnyOtherSource) {
  const std::string file = folder_.write("makegood.yaml", "store: {environment: production}\n");
  EXPECT_EQ(load({.file = file, .service_account = account("a", "b")}).config.store.environment, "production");
  EXPECT_EQ(load({.environment = {{"MAKEGOOD_STORE_ENVIRONMENT", "staging"}}, .service_account = account("a", "b")})
                .config.store.environment,
            "staging");
}

TEST_F(Pod, HasNoneWithoutAnAccount) {
  EXPECT_EQ(load({}).config.store.environment, "");
  EXPECT_EQ(load({.service_account = folder_.path("none")}).config.store.environment, "");
}

TEST(StoreKeys, AnEnvironmentIsAPlainName) {
  EXPECT_TRUE(mistakes_in("store: {environment: eu-west_1.production}\n").empty());
  EXPECT_EQ(mistakes_in("store: {environment: 'my shop'}\n"),
            (Lines{"makegood.yaml:1: store.environment 'my shop' is not a name; allowed: up to 63 letters, digits and "
                   "._-, or nothing"}));
}

}  // namespace
}  // namespace makegood::config
