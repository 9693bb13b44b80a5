// Which instance of a transport a lane sends with.
#include "base/transports.hpp"

#include <gtest/gtest.h>

namespace makegood {
namespace {

class SilentTransport final : public Transport {
 public:
  TransportFeatures features() const override { return {}; }
  void send(std::vector<Delivery> /*deliveries*/, Completions& /*done*/) override {}
  void drain(Completions& /*done*/, Duration /*grace*/) override {}
};

class SilentKind final : public TransportKind {
 public:
  SilentKind(std::string_view scheme, Instances instances, int& opened)
      : scheme_(scheme), instances_(instances), opened_(opened) {}

  std::string_view scheme() const override { return scheme_; }
  Instances instances() const override { return instances_; }
  std::string_view least() const override { return "nothing"; }
  std::span<const SettingFlag> flags() const override { return {}; }
  Result<Changed> change(std::string_view /*present*/, std::string_view document) const override {
    return Changed{.settings = std::string(document)};
  }
  Result<Destination> check(Destination checked) const override { return checked; }
  Result<std::unique_ptr<Transport>> open() const override {
    ++opened_;
    return std::unique_ptr<Transport>(std::make_unique<SilentTransport>());
  }

 private:
  const std::string_view scheme_;
  const Instances instances_;
  int& opened_;
};

class TransportsStory : public testing::Test {
 protected:
  static Transports::Kinds kinds(TransportKind::Instances instances, int& opened) {
    Transports::Kinds kinds;
    kinds.push_back(std::make_unique<SilentKind>("bus", instances, opened));
    return kinds;
  }

  int opened = 0;
};

TEST_F(TransportsStory, AreFoundByTheSchemeOfADestination) {
  const Transports transports(kinds(TransportKind::Instances::one_for_all, opened));
  ASSERT_NE(transports.kind_of("bus:orders"), nullptr);
  EXPECT_EQ(transports.kind_of("bus:orders")->scheme(), "bus");
  EXPECT_EQ(transports.kind_of("fn:orders"), nullptr);
  EXPECT_EQ(transports.kind_of("bus"), nullptr) << "it is no destination";
  EXPECT_EQ(opened, 0);
}

TEST_F(TransportsStory, AreSharedByAllLanes) {
  Transports transports(kinds(TransportKind::Instances::one_for_all, opened));
  const auto first = transports.for_lane();
  const auto second = transports.for_lane();
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->all, second->all);
  EXPECT_EQ(opened, 1);
}

TEST_F(TransportsStory, ThatCanOnlyBeEmptiedAsAWholeAreOpenedForEachLane) {
  Transports transports(kinds(TransportKind::Instances::one_per_lane, opened));
  const auto first = transports.for_lane();
  const auto second = transports.for_lane();
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->all, second->all);
  EXPECT_EQ(opened, 2);
}

}  // namespace
}  // namespace makegood
