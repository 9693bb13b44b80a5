#include "base/saga_check.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>

namespace makegood {
namespace {

SagaStep undoable(std::string name, std::size_t group) {
  SagaStep step{.name = std::move(name), .group = group, .action = {"http:orders/do"}};
  step.compensation = SagaCall{"http:orders/undo"};
  return step;
}

/// create, then stock beside payment, then the pivot confirm, then mail.
SagaDefinition order_saga() {
  return {.name = "orderProcess",
          .steps = {undoable("create", 0), undoable("stock", 1), undoable("payment", 1),
                    SagaStep{.name = "confirm", .group = 2, .action = {"fn:confirm"}, .is_pivot = true},
                    SagaStep{.name = "mail", .group = 3, .action = {"https://mail.example/send"}}}};
}

std::string told(const std::function<void(SagaDefinition&)>& change) {
  SagaDefinition definition = order_saga();
  change(definition);
  std::string all;
  for (const SagaMistake& mistake : mistakes_in(definition)) {
    if (!all.empty()) all += "; ";
    if (mistake.step) all += std::to_string(*mistake.step) + " ";
    all += mistake.field + " " + mistake.problem;
  }
  return all;
}

TEST(SagaCheck, FindsNothingWrongWithAGoodSaga) {
  EXPECT_EQ(told([](SagaDefinition&) {}), "");
  EXPECT_TRUE(check(order_saga()));
}

TEST(SagaCheck, TellsAllMistakesAtOnceByTheNamesOfSteps) {
  SagaDefinition definition = order_saga();
  definition.name = "makegood.x";
  definition.steps[0].compensation.reset();
  definition.steps[1].action.uri = "worker:stock";
  const auto result = check(definition);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::invalid);
  EXPECT_EQ(result.error().message,
            "The saga makegood.x has 3 mistakes: name begins with makegood., which is taken; use another one; step "
            "create does not say how it is undone; give it a compensation, or say effect: none or pivot: true; step "
            "stock: action is worker:…, which a step cannot call yet; write fn:name, http:destination/path, "
            "https://…, bus:topic or saga:name@version.");
}

TEST(SagaCheck, WantsALegalName) {
  EXPECT_EQ(told([](auto& saga) { saga.name = ""; }), "name is missing");
  for (const char* name : {"a b", "ä", "a/b", "x\n"}) {
    EXPECT_NE(told([&](auto& saga) { saga.name = name; }), "") << name;
  }
  EXPECT_NE(told([](auto& saga) { saga.name = std::string(129, 'a'); }), "");
  EXPECT_EQ(told([](auto& saga) { saga.name = "a.b_c-9"; }), "");
}

TEST(SagaCheck, WantsUniqueLegalNamesOfSteps) {
  EXPECT_EQ(told([](auto& saga) { saga.steps[1].name = "create"; }), "1 name is create, as an earlier step has it");
  EXPECT_NE(told([](auto& saga) { saga.steps[1].name = "input"; }), "");
  EXPECT_NE(told([](auto& saga) { saga.steps[1].name = "a.b"; }), "");
  EXPECT_NE(told([](auto& saga) { saga.steps[1].name = ""; }), "");
}

TEST(SagaCheck, WantsAtLeastOneStepAndAtMostAHundred) {
  EXPECT_EQ(told([](auto& saga) { saga.steps.clear(); }), "steps has no step; a saga needs one at least");
  const auto steps = [](std::size_t count) {
    return told([=](auto& saga) {
      saga.steps.clear();
      for (std::size_t i = 0; i < count; ++i) saga.steps.push_back(undoable("s" + std::to_string(i), i));
    });
  };
  EXPECT_EQ(steps(100), "");
  EXPECT_EQ(steps(101).substr(0, 30), "steps has more than 100 steps");
}

TEST(SagaCheck, WantsItsBytesWithin64KiB) {
  EXPECT_EQ(told([](auto& saga) { saga.output = "\"" + std::string(70'000, 'x') + "\""; }), " is larger than 64 KiB");
}

TEST(SagaCheck, WantsToKnowHowEachStepIsUndone) {
  EXPECT_EQ(told([](auto& saga) { saga.steps[2].compensation.reset(); }),
            "2  does not say how it is undone; give it a compensation, or say effect: none or pivot: true");
  EXPECT_EQ(told([](auto& saga) { saga.steps[2].compensation.reset(), saga.steps[2].has_no_effect = true; }), "");
}

TEST(SagaCheck, RefusesACompensationThatIsNeverCalled) {
  for (const std::size_t step : {3U, 4U}) {
    EXPECT_NE(told([&](auto& saga) { saga.steps[step].compensation = SagaCall{"fn:undo"}; }), "") << step;
  }
  EXPECT_NE(told([](auto& saga) { saga.steps[0].has_no_effect = true; }), "");
}

TEST(SagaCheck, WantsOnePivotThatStandsAlone) {
  EXPECT_NE(told([](auto& saga) { saga.steps[4].is_pivot = true; }), "");
  EXPECT_EQ(told([](auto& saga) { saga.steps[4].group = 2; }), "3 pivot is in a parallel group; it must stand alone");
}

TEST(SagaCheck, WantsGroupsOneAfterAnother) {
  EXPECT_NE(told([](auto& saga) { saga.steps[4].group = 7; }), "");
  EXPECT_NE(told([](auto& saga) { saga.steps[4].group = 1; }), "");
  EXPECT_NE(told([](auto& saga) { saga.steps[0].group = 1; }), "");
}

TEST(SagaCheck, KnowsTheAddressesOfSteps) {
  for (const char* uri :
       {"fn:charge", "fn:a.b-c_1", "http:orders", "http:orders/create?x=1&y=%20", "mine:orders/x", "http://h/x",
        "https://h:80/x?y#z", "bus:x", "bus:shop.mail.wanted.v1", "saga:pay@1", "saga:a.b-c_1@12"}) {
    EXPECT_EQ(problem_of_uri(uri), "") << uri;
  }
  for (const char* uri : {"",
                          "orders",
                          "http:",
                          "http://",
                          "fn:",
                          "fn:a b",
                          "fn:a/b",
                          "bus:",
                          "bus:makegood.x",
                          "bus:a b",
                          "saga:x",
                          "saga:x@",
                          "saga:x@0",
                          "saga:@1",
                          "saga:x@1a",
                          "saga:x y@1",
                          "worker:q",
                          "ftp://h/x",
                          "http:a b",
                          "HTTP:a",
                          "http:or$ders/x",
                          "http:orders/${input.id}",
                          ":x",
                          "http:\n"}) {
    EXPECT_NE(problem_of_uri(uri), "") << uri;
  }
}

TEST(SagaCheck, WantsAParticipantOnABusToRecogniseWhatComesTwice) {
  const auto by_bus = [](SagaPromise promise) {
    return told([=](auto& saga) {
      saga.steps[0].action.uri = "bus:orders.wanted";
      saga.steps[0].participant = promise;
    });
  };
  EXPECT_EQ(by_bus(SagaPromise::late), "");
  EXPECT_EQ(by_bus(SagaPromise::plain),
            "0 participant is plain, and a bus may hand over a message twice; it must be barrier, keyed or late");
  EXPECT_NE(told([](auto& saga) { saga.steps[0].check = SagaCall{"bus:orders.sought"}; }), "");
  EXPECT_EQ(told([](auto& saga) { saga.steps[0].compensation = SagaCall{"bus:orders.unwanted"}; }), "");
}

TEST(SagaCheck, WantsNothingOfASagaWithinASagaThatItSaysItself) {
  const auto child = [](auto change) {
    return told([=](auto& saga) {
      saga.steps[0].action.uri = "saga:pay@1";
      saga.steps[0].compensation.reset();
      change(saga.steps[0]);
    });
  };
  EXPECT_EQ(child([](SagaStep&) {}), "") << "it is undone as one unit";
  EXPECT_EQ(child([](SagaStep& step) { step.compensation = SagaCall{"fn:undo"}; }), "");
  EXPECT_EQ(child([](SagaStep& step) { step.check = SagaCall{"fn:check"}; }),
            "0 check says nothing here: a saga tells what became of it; leave it out");
  EXPECT_EQ(child([](SagaStep& step) { step.compensation = SagaCall{"saga:unpay@1"}; }),
            "0 compensation is a saga, which only an action can be");
  EXPECT_EQ(child([](SagaStep& step) { step.action.uri = "saga:orderProcess@7"; }),
            "0 action is this saga itself, which would never end");
}

TEST(SagaCheck, WantsAListForWhatIsRepeated) {
  const auto repeated = [](auto change) {
    return told([=](auto& saga) {
      saga.steps[0].for_each = SagaForEach{.list = R"("${input.items}")"};
      saga.steps[0].action.input = R"({"of":"${item.sku}","at":"${index}"})";
      change(saga);
    });
  };
  EXPECT_EQ(repeated([](auto&) {}), "");
  EXPECT_EQ(repeated([](auto& saga) { saga.steps[0].for_each->list = R"(["a",{"b":"${input.b}"}])"; }), "");
  EXPECT_EQ(repeated([](auto& saga) { saga.steps[0].for_each->list.clear(); }),
            "0 for_each.in is missing; say which list, as in ${input.items}");
  EXPECT_EQ(repeated([](auto& saga) { saga.steps[0].for_each->list = R"("all ${input.items}")"; }),
            "0 for_each.in is no list; write ${path} and nothing else, or a list");
  EXPECT_NE(repeated([](auto& saga) { saga.steps[0].for_each->list = R"("${item}")"; }), "") << "there is none yet";
  EXPECT_NE(repeated([](auto& saga) { saga.steps[0].condition = "${item.sku}"; }), "");
  EXPECT_NE(repeated([](auto& saga) { saga.steps[0].for_each->max = 1001; }), "");
  EXPECT_NE(repeated([](auto& saga) { saga.steps[0].for_each->concurrency = 0; }), "");
  EXPECT_NE(repeated([](auto& saga) { saga.steps[0].approval = SagaApproval{}; }), "");
  EXPECT_NE(repeated([](auto& saga) { saga.steps[1].name = "item"; }), "");
  EXPECT_NE(repeated([](auto& saga) { saga.steps[2].action.input = R"("${create.key}")"; }), "");
  EXPECT_NE(told([](auto& saga) { saga.steps[3].for_each = SagaForEach{.list = "[1]"}; }), "") << "the pivot";
}

TEST(SagaCheck, WantsADestinationForEachUrl) {
  SagaDefinition saga = order_saga();
  saga.steps[0].compensation->uri = "https://shop.example/undo";
  const Destination mail{.name = "http:mail", .settings = R"({"url":"https://mail.example"})"};
  const auto refused = check_urls(saga, std::array{mail});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "The saga orderProcess has 1 mistake: step create: compensation is https://shop.example/undo, and no "
            "registered destination has a URL that it begins with; register one, as http:mail with the url "
            "https://mail.example/.");
  const Destination shop{.name = "http:shop", .settings = R"({"url":"https://shop.example/"})"};
  EXPECT_TRUE(check_urls(saga, std::array{mail, shop}));
}

TEST(SagaCheck, RefusesBrokersWhichAnswerNoCalls) {
  for (const std::string scheme : {"kafka", "nats", "amqp", "redis"}) {
    EXPECT_EQ(problem_of_uri(scheme + ":orders/created"),
              "is " + scheme +
                  ":…, a broker, which carries messages and answers no calls; write fn:name, http:destination/path, "
                  "https://…, bus:topic or saga:name@version");
  }
}

TEST(SagaCheck, WantsStepsThatCallNobodyToSayNothingOfCalls) {
  const auto waiting = [](const char* uri) {
    return SagaStep{.name = "w", .group = 4, .action = {uri}, .has_no_effect = true, .timeout = {}};
  };
  const auto with = [&](const SagaStep& step) {
    return told([&](SagaDefinition& saga) { saga.steps.push_back(step); });
  };
  EXPECT_EQ(with(waiting("event:paid")), "");
  EXPECT_EQ(with(waiting("wait:24h")), "");
  EXPECT_EQ(with(waiting("event:")),
            "5 action is 'event:', which is no address of a step; write fn:name, "
            "http:destination/path, https://…, bus:topic or saga:name@version");
  EXPECT_EQ(with(waiting("event:a b")).substr(0, 8), "5 action");
  for (const char* uri : {"wait:soon", "wait:0", "wait:9000h"}) {
    EXPECT_EQ(with(waiting(uri)), "5 action is no time to wait, up to a year; write wait: 24h") << uri;
  }
  SagaStep wrong = waiting("event:paid");
  wrong.has_no_effect = false;
  wrong.compensation = SagaCall{"fn:undo"};
  wrong.action.input = "1";
  wrong.on_failure = {{.code = "*", .action = FailureAction::retry, .retries = 1}};
  EXPECT_EQ(with(wrong),
            "5 effect says nothing here: the step calls nobody, it waits for an event; leave it out; 5 compensation "
            "says nothing here: the step calls nobody, it waits for an event; leave it out; 5 action.input says "
            "nothing here: the step calls nobody, it waits for an event; leave it out; 5 on_failure says retry, and "
            "the step waits for an event; give it more time instead");
  EXPECT_EQ(told([](SagaDefinition& saga) { saga.steps[0].compensation->uri = "event:x"; }),
            "0 compensation calls nobody; an event or a wait is an action");
  EXPECT_EQ(told([](SagaDefinition& saga) { saga.steps[0].timeout = {}; }), "0 timeout is not at least 1ms");
  SagaStep reads = waiting("wait:1h");
  EXPECT_EQ(told([&](SagaDefinition& saga) {
              saga.steps.push_back(reads);
              saga.output = R"({"x":"${w.y}"})";
            }),
            "output reads ${w.y}, and a wait has no output");
}

TEST(SagaCheck, LetsAStepReadTheInputAndEarlierSteps) {
  EXPECT_EQ(told([](auto& saga) {
              saga.steps[2].action.input = R"(["${input.a}","${create.id}","${create.key}","${payment.key}"])";
            }),
            "");
  EXPECT_EQ(told([](auto& saga) { saga.output = R"("${mail.x}${payment.id}")"; }), "");
}

TEST(SagaCheck, RefusesToReadSiblingsLaterStepsAndStrangers) {
  EXPECT_EQ(told([](auto& saga) { saga.steps[2].action.input = R"("${stock.id}")"; }),
            "2 action.input reads ${stock.id}, which runs beside this step; only input and earlier steps can be read");
  EXPECT_EQ(told([](auto& saga) { saga.steps[0].condition = "${mail.x} == 1"; }),
            "0 when reads ${mail.x}, which runs after this step; only input and earlier steps can be read");
  EXPECT_EQ(told([](auto& saga) { saga.steps[2].action.input = R"("${creat.id}")"; }),
            "2 action.input reads ${creat.id}, which is no step; is it create?");
  EXPECT_EQ(told([](auto& saga) { saga.steps[2].action.input = R"("${payment.id}")"; }),
            "2 action.input reads ${payment.id}, the output of its own step, which is not there yet");
  EXPECT_NE(told([](auto& saga) { saga.output = R"("${x.y}")"; }), "");
  EXPECT_NE(told([](auto& saga) { saga.steps[2].compensation->input = R"("${stock.id}")"; }), "");
}

TEST(SagaCheck, RefusesTemplatesThatCannotBeRead) {
  EXPECT_NE(told([](auto& saga) { saga.steps[2].action.input = R"("${input.a")"; }), "");
  EXPECT_NE(told([](auto& saga) { saga.steps[2].action.input = "{"; }), "");
  EXPECT_NE(told([](auto& saga) { saga.steps[2].condition = "1 =="; }), "");
}

TEST(SagaCheck, WantsACompensationToKnowWhatToDoWithoutAnOutput) {
  const auto with = [](const char* input, const char* if_unknown) {
    return told([=](auto& saga) { saga.steps[2].compensation = SagaCall{"fn:undo", input, if_unknown}; });
  };
  EXPECT_EQ(with(R"("${payment.id}")", ""),
            "2 compensation.input reads ${payment.id}, and nobody may know what its step has answered; give "
            "if_unknown, or a default: ${path|null}");
  EXPECT_EQ(with(R"("${payment.id|null}")", ""), "");
  EXPECT_EQ(with(R"("${payment.key} ${create.id} ${input.a}")", ""), "");
  EXPECT_EQ(with(R"("${payment.id}")", R"("${payment.key}")"), "");
  EXPECT_NE(with(R"("${payment.id}")", R"("${payment.id}")"), "");
}

TEST(SagaCheck, WantsDurationsAndRetriesThatMakeSense) {
  EXPECT_EQ(told([](auto& saga) { saga.steps[0].timeout = {}; }), "0 timeout is not at least 1ms");
  EXPECT_EQ(told([](auto& saga) { saga.deadline = Duration(-1); }), "deadline is below 0");
  EXPECT_EQ(told([](auto& saga) { saga.give_up_after = std::chrono::hours(9000); }),
            "give_up_after is longer than a year");
  EXPECT_EQ(told([](auto& saga) { saga.steps[0].retry.attempts_max = 0; }),
            "0 retry.attempts_max is 0; allowed: 1 to 1000000");
  EXPECT_NE(told([](auto& saga) { saga.steps[0].retry.cap = std::chrono::milliseconds(1); }), "");
}

TEST(SagaCheck, WantsRulesThatMakeSense) {
  const auto with = [](std::vector<FailureRule> rules, std::size_t step = 0) {
    return told([&](auto& saga) { saga.steps[step].on_failure = rules; });
  };
  EXPECT_EQ(with({{"A", FailureAction::retry, 3, {}}, {"*", FailureAction::compensate, 0, {}}}), "");
  EXPECT_EQ(with({{"A", FailureAction::retry, 0, {}}}), "0 on_failure.A retries 1 to 1000 times");
  EXPECT_NE(with({{"A", FailureAction::skip, 2, {}}}), "");
  EXPECT_NE(with({{"A B", FailureAction::skip, 0, {}}}), "");
  EXPECT_EQ(with({{"A", FailureAction::skip, 0, {}}, {"A", FailureAction::manual, 0, {}}}),
            "0 on_failure.A is there twice; keep one of them");
  EXPECT_NE(with({{"A", FailureAction::compensate, 0, {}}}, 4), "");
  EXPECT_EQ(with({{"A", FailureAction::compensate, 0, {}}}, 3), "");
}

TEST(SagaCheck, WantsGatesAndTheEndToMakeSense) {
  EXPECT_NE(told([](auto& saga) { saga.steps[0].approval = SagaApproval{.on_timeout = FailureAction::retry}; }), "");
  EXPECT_NE(told([](auto& saga) { saga.steps[4].approval = SagaApproval{.on_timeout = FailureAction::compensate}; }),
            "");
  EXPECT_EQ(told([](auto& saga) { saga.steps[0].approval = SagaApproval{.on_timeout = FailureAction::skip}; }), "");
  EXPECT_NE(told([](auto& saga) { saga.on_end_topic = "makegood.saga.start"; }), "");
  EXPECT_NE(told([](auto& saga) { saga.on_end_topic = "a\nb"; }), "");
  EXPECT_EQ(told([](auto& saga) { saga.on_end_topic = "orders.ended.v1"; }), "");
  EXPECT_NE(told([](auto& saga) { saga.steps[0].action.if_unknown = "{}"; }), "");
}

}  // namespace
}  // namespace makegood
