// Definitions have versions, and a version never changes.
#include <atomic>
#include <thread>

#include "tests/conformance/saga_suite.hpp"

namespace makegood::conformance {
namespace {

SagaDefinitionRow a_definition(const std::string& document, std::int64_t version = 0,
                               const std::string& name = "order") {
  return {.name = name, .version = version, .document = document, .source = "steps: []"};
}

}  // namespace

TEST_P(SagaSuite, KeepsADefinition) {
  EXPECT_EQ(value_of(view().put_definition(a_definition("{\"steps\":[]}"))), 1);
  const auto kept = value_of(store().definition("order", 1));
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->name, "order");
  EXPECT_EQ(kept->document, "{\"steps\":[]}");
  EXPECT_EQ(kept->source, "steps: []");
  EXPECT_EQ(kept->created_at, clock().now());
  EXPECT_EQ(value_of(view().definition("order", 2)), std::nullopt);
  EXPECT_EQ(value_of(view().definition("refund", 0)), std::nullopt);
}

TEST_P(SagaSuite, HasOneKeyForCallbacksWhoeverAsks) {
  const std::string key = value_of(view().callback_key());
  EXPECT_GE(key.size(), 64U);
  EXPECT_EQ(value_of(under_test().connect_view()->callback_key()), key);
}

TEST_P(SagaSuite, AnotherDocumentIsTheNextVersion) {
  EXPECT_EQ(value_of(view().put_definition(a_definition("1"))), 1);
  EXPECT_EQ(value_of(view().put_definition(a_definition("2"))), 2);
  EXPECT_EQ(value_of(view().put_definition(a_definition("2"))), 2);
  EXPECT_EQ(value_of(view().put_definition(a_definition("1"))), 3);  // Not the newest one: it is said anew.
  EXPECT_EQ(value_of(store().definition("order", 0))->version, 3);
  EXPECT_EQ(value_of(store().definition("order", 2))->document, "2");
  EXPECT_EQ(value_of(view().versions("order")).size(), 3U);
}

TEST_P(SagaSuite, AVersionThatIsNamedIsThatOneOrTheNext) {
  EXPECT_EQ(code_of(view().put_definition(a_definition("1", 2))), Errc::invalid);
  EXPECT_EQ(value_of(view().put_definition(a_definition("1", 1))), 1);
  EXPECT_EQ(value_of(view().put_definition(a_definition("1", 1))), 1);
  EXPECT_EQ(code_of(view().put_definition(a_definition("2", 1))), Errc::conflict);
  EXPECT_EQ(code_of(view().put_definition(a_definition("2", 3))), Errc::invalid);
  EXPECT_EQ(value_of(view().put_definition(a_definition("2", 2))), 2);
  EXPECT_EQ(value_of(view().put_definition(a_definition("1", 1))), 1);
}

TEST_P(SagaSuite, RefusesADefinitionThatNobodyCouldStart) {
  EXPECT_EQ(code_of(view().put_definition(a_definition("1", 0, ""))), Errc::invalid);
  EXPECT_EQ(code_of(view().put_definition(a_definition("1", 0, "makegood.order"))), Errc::invalid);
  EXPECT_EQ(code_of(view().put_definition(a_definition("1", -1))), Errc::invalid);
  EXPECT_EQ(code_of(view().put_definition(a_definition(std::string("1\0", 2)))), Errc::invalid);
  EXPECT_TRUE(log(store()).empty());
}

TEST_P(SagaSuite, ListsTheNewestVersionOfEach) {
  (void)value_of(view().put_definition(a_definition("1", 0, "refund")));
  (void)value_of(view().put_definition(a_definition("1")));
  (void)value_of(view().put_definition(a_definition("2")));
  const auto definitions = value_of(view().definitions());
  ASSERT_EQ(definitions.size(), 2U);
  EXPECT_EQ(definitions[0].name, "order");
  EXPECT_EQ(definitions[0].version, 2);
  EXPECT_EQ(definitions[1].name, "refund");
}

TEST_P(SagaSuite, SeveralWhoPutADefinitionGetAVersionEach) {
  constexpr std::int64_t count = 4;
  std::vector<std::unique_ptr<SagaView>> views;
  for (std::int64_t i = 0; i < count; ++i) views.push_back(under_test().connect_view());
  std::atomic<std::int64_t> sum = 0;
  {
    std::vector<std::jthread> threads;
    for (std::int64_t i = 0; i < count; ++i) {
      threads.emplace_back([&views, &sum, i] {
        SagaView& view = *views[static_cast<std::size_t>(i)];
        sum += value_in_the_end([&] { return view.put_definition(a_definition(std::to_string(i))); });
      });
    }
  }
  EXPECT_EQ(sum, 1 + 2 + 3 + 4);
  EXPECT_EQ(value_of(view().versions("order")).size(), 4U);
  EXPECT_EQ(log(store()).size(), 4U);
}

TEST_P(SagaSuite, TellsTheOwnerOfANewVersionOnce) {
  (void)value_of(view().put_definition(a_definition("1")));
  (void)value_of(view().put_definition(a_definition("1")));
  EXPECT_EQ(code_of(view().put_definition(a_definition("2", 9))), Errc::invalid);
  const auto rows = log(store());
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]->topic, "makegood.saga.define");
  EXPECT_EQ(rows[0]->content, R"({"name":"order","version":1})");
}

}  // namespace makegood::conformance
