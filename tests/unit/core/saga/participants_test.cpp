#include "core/saga/participants.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace makegood::core {
namespace {

using namespace std::chrono_literals;

const MonotonicTime now = MonotonicTime(1h);
const TimePoint store_now = TimePoint(1000h);
const std::string orders = "http:orders/create";
const Outcome nobody = Outcome::unreachable("TX.NO_ROUTE", "No such function.");

TEST(Participants, AreMissingOnceSomebodyHasAskedAgainInVain) {
  Participants participants;
  participants.configure({});
  EXPECT_FALSE(participants.take_place(orders, now));
  EXPECT_TRUE(participants.take_wish());
  EXPECT_FALSE(participants.take_place(orders, now));
  EXPECT_FALSE(participants.is_missing(orders)) << "it may have been registered just now";
  EXPECT_FALSE(participants.take_wish()) << "asked for once";
  const Duration soon = participants.wait_for_place(orders, now);
  participants.configure({});
  EXPECT_FALSE(participants.take_place(orders, now));
  EXPECT_TRUE(participants.is_missing(orders));
  EXPECT_GT(participants.wait_for_place(orders, now), soon);
}

TEST(Participants, ThatAreMissingAreToldOncePerName) {
  Participants participants;
  for (int i = 0; i < 3; ++i) {
    participants.configure({});
    for (const char* uri : {"http:orders/create", "http:orders/cancel", "http:mail/send"}) {
      EXPECT_FALSE(participants.take_place(uri, now));
    }
  }
  const std::vector<Error> alarms = participants.take_alarms();
  ASSERT_EQ(alarms.size(), 2U);
  EXPECT_EQ(alarms[0].code, Errc::no_route);
  EXPECT_NE(alarms[0].message.find("http:orders, which is not registered"), std::string::npos) << alarms[0].message;
  EXPECT_NE(alarms[1].message.find("http:mail,"), std::string::npos) << alarms[1].message;
  EXPECT_TRUE(participants.take_alarms().empty());
}

TEST(Participants, ThatWereRegisteredMeanwhileAreCalledAndNobodyIsTold) {
  Participants participants;
  participants.configure({});
  EXPECT_FALSE(participants.take_place(orders, now));
  participants.configure({{.name = "http:orders"}});
  EXPECT_TRUE(participants.take_place(orders, now));
  EXPECT_TRUE(participants.take_alarms().empty());
}

TEST(Participants, ThatAreRemovedAgainAreToldAgain) {
  Participants participants;
  const auto ask_twice = [&] {
    for (int i = 0; i < 2; ++i) {
      participants.configure({});
      EXPECT_FALSE(participants.take_place(orders, now));
    }
  };
  ask_twice();
  participants.configure({{.name = "http:orders"}});
  EXPECT_FALSE(participants.is_missing(orders));
  ask_twice();
  EXPECT_EQ(participants.take_alarms().size(), 2U);
}

TEST(Participants, AreMissingWhenThisProcessHasNotTheirFunction) {
  Participants participants;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(participants.take_place("fn:charge", now));
    participants.ended("fn:charge", nobody, false, now, store_now);
  }
  EXPECT_TRUE(participants.is_missing("fn:charge"));
  const std::vector<Error> alarms = participants.take_alarms();
  ASSERT_EQ(alarms.size(), 1U);
  EXPECT_NE(alarms[0].message.find("fn:charge, a function that this node has not"), std::string::npos);
  ASSERT_TRUE(participants.take_place("fn:charge", now));
  participants.ended("fn:charge", Outcome::ok(), false, now, store_now);
  EXPECT_FALSE(participants.is_missing("fn:charge"));
}

TEST(Participants, ThatCannotBeReachedAreNotMissing) {
  Participants participants;
  participants.configure({{.name = "http:orders"}});
  ASSERT_TRUE(participants.take_place(orders, now));
  participants.ended(orders, Outcome::unreachable("TX.UNAVAILABLE", "refused"), false, now, store_now);
  EXPECT_FALSE(participants.is_missing(orders));
  EXPECT_TRUE(participants.take_alarms().empty());
}

Destination http_at(const char* name, const std::string& url) {
  return {.name = name, .settings = R"({"url":")" + url + R"("})"};
}

TEST(Participants, OfWholeUrlsAreTheDestinationsThatCarryThem) {
  const std::string url = "https://mail.example/api/send";
  Participants participants;
  participants.configure(
      {http_at("http:mail", "https://mail.example"), http_at("http:api", "https://mail.example/api")});
  EXPECT_EQ(participants.name_of(url), "http:api") << "the longest";
  ASSERT_TRUE(participants.take_place(url, now));
  const DestinationPtr settings = participants.settings_of(url);
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->name, "http:api");
  EXPECT_EQ(path_at(url, *settings), "send");
  EXPECT_EQ(path_at("http:api/send", *settings), "send");
  EXPECT_EQ(path_at("https://other.example/send", *settings), std::nullopt);
}

TEST(Participants, AreMissingWhenNoneCarriesTheUrl) {
  const std::string url = "https://mail.example/send";
  Participants participants;
  const auto ask_twice = [&] {
    for (int i = 0; i < 2; ++i) {
      participants.configure({});
      EXPECT_FALSE(participants.take_place(url, now));
    }
  };
  ask_twice();
  EXPECT_TRUE(participants.is_missing(url));
  participants.configure({http_at("http:mail", "https://mail.example")});
  EXPECT_TRUE(participants.take_place(url, now));
  EXPECT_FALSE(participants.is_missing(url));
  participants.ended(participants.name_of(url), Outcome::ok(), false, now, store_now);
  ask_twice();
  EXPECT_EQ(participants.take_alarms().size(), 2U) << "it was removed again";
}

}  // namespace
}  // namespace makegood::core
