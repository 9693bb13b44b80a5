#include "base/saga_chain.hpp"

#include <gtest/gtest.h>

#include <map>

#include "base/conditions.hpp"
#include "base/saga_drawing.hpp"

namespace makegood {
namespace {

/// `0 a | 1 b, 1 c when ${x}`: groups, names and conditions.
std::string chain_text(std::string_view text) {
  const Chain chain = read_chain(text);
  std::string told;
  for (const ChainMistake& mistake : chain.mistakes) told += std::to_string(mistake.offset) + ": " + mistake.problem;
  for (const ChainStep& step : chain.steps) {
    if (!told.empty()) told += ", ";
    told += std::to_string(step.group) + " " + step.name;
    if (!step.condition.empty()) told += " when " + to_text(step.condition);
  }
  return told;
}

TEST(SagaChain, IsASequenceOfStepsAndGroups) {
  EXPECT_EQ(chain_text("THEN(a, b, WHEN(c, d), e)"), "0 a, 1 b, 2 c, 2 d, 3 e");
  EXPECT_EQ(chain_text("a"), "0 a");
  EXPECT_EQ(chain_text("THEN(\n  a, // first\n  THEN(b, /* and */ c)\n);"), "0 a, 1 b, 2 c");
}

TEST(SagaChain, LetsSequencesOfAGroupGoInStep) {
  EXPECT_EQ(chain_text("THEN(WHEN(THEN(a, b), c), d)"), "0 a, 0 c, 1 b, 2 d");
}

TEST(SagaChain, TakesOneOfTwoBranches) {
  EXPECT_EQ(chain_text("THEN(a, IF(a.ok, THEN(b, c), d))"),
            "0 a, 1 b when ${a.ok}, 2 c when ${a.ok}, 3 d when !${a.ok}");
  EXPECT_EQ(chain_text("IF(x, b)"), "0 x, 1 b when ${x}");
  EXPECT_EQ(chain_text("IF(input.n, a).ELSE(b)"), "0 a when ${input.n}, 1 b when !${input.n}");
  EXPECT_EQ(chain_text("IF(input.n, a).ELIF(input.m, b).ELSE(c)"),
            "0 a when ${input.n}, 1 b when !${input.n} && ${input.m}, 2 c when !${input.n} && !${input.m}");
  EXPECT_EQ(chain_text("IF(\"${input.n} > 3 && ${input.m}\", a, b)"),
            "0 a when ${input.n} > 3 && ${input.m}, 1 b when ${input.n} <= 3 || !${input.m}");
}

TEST(SagaChain, TakesOneOfManyBranches) {
  EXPECT_EQ(chain_text("SWITCH(x.to).to(a, THEN(b, c).id(\"two\")).DEFAULT(d)"),
            R"(0 x, 1 a when ${x.to} == "a", 2 b when ${x.to} == "two", 3 c when ${x.to} == "two", )"
            R"(4 d when ${x.to} != "a" && ${x.to} != "two")");
}

TEST(SagaChain, PutsConditionsInsideOneAnother) {
  EXPECT_EQ(chain_text("IF(input.a, IF(input.b, x, y))"),
            "0 x when ${input.a} && ${input.b}, 1 y when ${input.a} && !${input.b}");
}

TEST(SagaChain, MayStandInAnElement) {
  const Chain chain = read_chain("<chain name=\"orderProcess\">\n  THEN(a, IF('${input.n} &lt; 3', b))\n</chain>");
  EXPECT_EQ(chain.name, "orderProcess");
  ASSERT_EQ(chain.steps.size(), 2U);
  EXPECT_EQ(to_text(chain.steps[1].condition), "${input.n} < 3");
}

TEST(SagaChain, TellsWhereItCannotBeRead) {
  const std::map<std::string_view, std::string_view> told = {
      {"THEN(a b)", "7: cannot be read at character 8: ) is expected here"},
      {"THEN(a,)", "7: cannot be read at character 8: the name of a step, THEN, WHEN, IF or SWITCH is expected here"},
      {"TEHN(a)", "0: cannot be read at character 1: TEHN is not known; is it THEN?"},
      {"THEN(a) b", "8: cannot be read at character 9: the end is expected here"},
      {"SWITCH(x).to(THEN(a, b))",
       "13: cannot be read at character 14: this needs a name by which it is chosen: THEN(…).id(\"name\")"},
      {"SWITCH(x)", "9: cannot be read at character 10: .to( is expected here, with what can be chosen"},
      {"<chain>THEN(a)</chain>", "6: cannot be read at character 7: <chain name=\"…\"> is expected here"},
      {"", "0: cannot be read at character 1: the name of a step, THEN, WHEN, IF or SWITCH is expected here"}};
  for (const auto& [text, problem] : told) EXPECT_EQ(chain_text(text), problem);
}

TEST(SagaChain, RefusesAStepThatIsThereTwice) {
  EXPECT_EQ(read_chain("THEN(a, b, a)").mistakes.at(0).problem, "has a twice; a step is carried out once");
  EXPECT_EQ(read_chain("THEN(a, b, a)").mistakes.at(0).offset, 11U);
}

TEST(SagaChain, ShowsThePlaceInItsLine) {
  EXPECT_EQ(chain_excerpt("THEN(a,\n  b c)", 12), "      |   b c)\n      |     ^");
  EXPECT_EQ(chain_excerpt("x", 0), "      | x\n      | ^");
}

SagaDefinition drawn_saga() {
  SagaStep order{.name = "order", .group = 0, .action = {"http:orders/create"}};
  order.compensation = SagaCall{"http:orders/cancel"};
  SagaStep stock{.name = "stock", .group = 1, .action = {"fn:stock"}, .has_no_effect = true};
  SagaStep gift{
      .name = "gift", .group = 1, .action = {"fn:gift"}, .has_no_effect = true, .condition = "${input.n} > 1"};
  SagaStep pay{.name = "pay", .group = 2, .action = {"fn:pay"}, .is_pivot = true};
  return {.name = "shop", .steps = {order, stock, gift, pay}};
}

TEST(SagaDrawing, IsATree) {
  EXPECT_EQ(drawn_as_tree(drawn_saga()), R"(shop
├─ order  http:orders/create  (undone by http:orders/cancel)
├─ in parallel
│  ├─ stock  fn:stock  (no effect)
│  └─ gift   fn:gift  (no effect)  when ${input.n} > 1
└─ pay    fn:pay  (the pivot)
)");
}

TEST(SagaDrawing, IsAFlowchart) {
  EXPECT_EQ(drawn_as_mermaid(drawn_saga()), R"drawn(flowchart TD
  begin(["shop"])
  begin --> s1["order"]
  s1 -. undone by .-> u1["http:orders/cancel"]
  s1 --> s2["stock"]
  s1 --> c3{"${input.n} #gt; 1"}
  c3 -- yes --> s3["gift"]
  s2 --> s4{{"pay (pivot)"}}
  s3 --> s4{{"pay (pivot)"}}
  c3 -- no --> s4{{"pay (pivot)"}}
  s4 --> done(["completed"])
)drawn");
}

}  // namespace
}  // namespace makegood
