#include "stores/postgres/server_traits.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace makegood::postgres {
namespace {

constexpr Server the_server{.system = 7123, .timeline = 2, .database = 16384};
const Place there{"db.internal", "5432", "shop"};
const Place pooler{"pooler", "6432", "shop"};
const Place local{"127.0.0.1", "5432", "shop", "m1"};

RecordedTraits recorded(std::vector<Place> places = {there}, std::string environment = {}) {
  return {.server = the_server, .environment = std::move(environment), .places = std::move(places)};
}
TraitsHere here(const Place& place = there, std::string environment = {}) {
  return {.server = the_server,
          .environment = std::move(environment),
          .place = place,
          .configured = {place},
          .address = "10.0.0.7:5432"};
}
TraitsHere with(Server server, std::string environment = {}) {
  TraitsHere other = here(there, std::move(environment));
  other.server = server;
  return other;
}

TraitsHere with_log(LogOids log, std::string environment = {}) {
  TraitsHere other = here(there, std::move(environment));
  other.log = log;
  return other;
}

enum class Verdict { ours, copy, asking };
Verdict verdict(const RecordedTraits& recorded, const TraitsHere& here) {
  const Judgement judgement = judge(recorded, here);
  if (judgement.is_asking) {
    EXPECT_TRUE(judgement.report.is_copy) << "until somebody says otherwise";
    return Verdict::asking;
  }
  return judgement.report.is_copy ? Verdict::copy : Verdict::ours;
}

TEST(ServerTraits, TheSameServerAtAKnownPlaceIsTheOriginal) {
  EXPECT_EQ(verdict(recorded(), here()), Verdict::ours);
  EXPECT_EQ(verdict(recorded({local, there}), here()), Verdict::ours);
}

TEST(ServerTraits, OtherTablesInPlaceOfTheLogAreACopyUnlessTheNameSaysOtherwise) {
  RecordedTraits known = recorded();
  EXPECT_EQ(verdict(known, with_log({16500, 16499})), Verdict::ours) << "not recorded yet";
  known.log = {16400, 16399};
  EXPECT_EQ(verdict(known, with_log({16400, 16399})), Verdict::ours);
  EXPECT_EQ(verdict(known, with_log({16500, 16399})), Verdict::copy) << "the log";
  EXPECT_EQ(verdict(known, with_log({16400, 16499})), Verdict::copy) << "its sequence";
  known.environment = "production";
  EXPECT_EQ(verdict(known, with_log({16500, 16499}, "production")), Verdict::ours);
  EXPECT_EQ(completed(known, with_log({16500, 16499}, "production")).log, LogOids({16500, 16499}));
}

/// A file of the sequence that is not the recorded one: what is said, and which file is recorded next.
struct OfFile {
  bool is_copy = false;
  bool asks_for_a_look = false;
  std::int64_t recorded = 0;
  bool operator==(const OfFile&) const = default;
};
OfFile of_file(const RecordedTraits& known, const TraitsHere& found) {
  const Judgement judgement = judge(known, found);
  return {judgement.report.is_copy, std::ranges::any_of(judgement.report.traits, &Trait::asks_for_a_look),
          completed(known, found).log->number_file};
}

TEST(ServerTraits, AnotherFileOfTheSequenceAloneAsksForALookUntilSomebodyHasLooked) {
  RecordedTraits known = recorded();
  known.log = {16400, 16399, 0};
  EXPECT_EQ(of_file(known, with_log({16400, 16399, 7})), OfFile({false, false, 7})) << "not recorded yet";
  known.log->number_file = 7;
  EXPECT_EQ(of_file(known, with_log({16400, 16399, 7})), OfFile({false, false, 7}));
  EXPECT_EQ(of_file(known, with_log({16400, 16399, 8})), OfFile({false, true, 7}));
  known.environment = "production";
  EXPECT_EQ(of_file(known, with_log({16400, 16399, 8}, "production")), OfFile({false, true, 7}));
}

TEST(ServerTraits, AnotherFileOfASequenceThatIsAnotherAnywaySaysNothing) {
  RecordedTraits known = recorded({there}, "production");
  known.log = {16400, 16399, 7};
  EXPECT_EQ(of_file(known, with_log({16500, 16499, 8}, "production")), OfFile({false, false, 8})) << "restored";
  TraitsHere upgraded = with_log({16400, 16399, 8}, "production");
  upgraded.server.system = 8000;
  EXPECT_EQ(completed(known, upgraded).log->number_file, 8);
}

TEST(ServerTraits, APhysicalCopyAtAnotherPlaceIsAskedFor) {
  EXPECT_EQ(verdict(recorded(), here({"db.internal", "5433", "shop"})), Verdict::asking) << "port";
  EXPECT_EQ(verdict(recorded(), here({"db.staging", "5432", "shop"})), Verdict::asking) << "host";
  EXPECT_EQ(verdict(recorded(), here({"db.internal", "5432", "clone"})), Verdict::asking) << "database";
  EXPECT_EQ(verdict(recorded({local}), here({"127.0.0.1", "5432", "shop", "m2"})), Verdict::asking) << "machine";
}

TEST(ServerTraits, AHigherTimelineProvesNothing) {
  const Server promoted{the_server.system, the_server.timeline + 1, the_server.database};
  EXPECT_EQ(verdict(recorded(), with(promoted)), Verdict::ours) << "a failover behind the same name";
  TraitsHere elsewhere = with(promoted);
  elsewhere.place = pooler;
  EXPECT_EQ(verdict(recorded(), elsewhere), Verdict::asking);
}

TEST(ServerTraits, AnotherServerIsACopyAndNobodyIsAsked) {
  EXPECT_EQ(verdict(recorded(), with({7124, 2, 16384})), Verdict::copy);
  EXPECT_EQ(verdict(recorded(), with({7123, 1, 16384})), Verdict::copy) << "an older timeline";
  EXPECT_EQ(verdict(recorded(), with({7123, 2, 16385})), Verdict::copy) << "another database of the server";
}

TEST(ServerTraits, TheServersOwnAddressIsShownAndNotJudged) {
  TraitsHere moved = here();
  moved.address = "10.0.0.8:5432";
  EXPECT_EQ(verdict(recorded(), moved), Verdict::ours);
  EXPECT_NE(compared(judge(recorded(), moved).report).find("10.0.0.8:5432"), std::string::npos);
}

TEST(ServerTraits, UnderTheSameNameAnyServerIsTheOriginal) {
  TraitsHere upgraded = with({8000, 1, 5}, "production");
  upgraded.place = pooler;
  EXPECT_EQ(verdict(recorded({there}, "production"), upgraded), Verdict::ours);
  EXPECT_TRUE(copy_error(judge(recorded({there}, "production"), upgraded).report).diagnostics.empty());
}

TEST(ServerTraits, UnderAnotherNameOrNoneTheSameServerIsACopy) {
  EXPECT_EQ(verdict(recorded({there}, "production"), here(there, "staging")), Verdict::copy);
  EXPECT_EQ(verdict(recorded({there}, "production"), here()), Verdict::copy);
  EXPECT_EQ(verdict(recorded({there}, "production"), here(pooler, "staging")), Verdict::copy) << "nobody is asked";
}

TEST(ServerTraits, ANameThatTheStoreDoesNotKnowYetDecidesNothing) {
  EXPECT_EQ(verdict(recorded(), here(there, "production")), Verdict::ours);
  EXPECT_EQ(verdict(recorded(), here(pooler, "staging")), Verdict::asking);
  EXPECT_EQ(verdict(recorded(), with({7124, 2, 16384}, "production")), Verdict::copy);
}

TEST(ServerTraits, ARemovedRecordMakesACopy) { EXPECT_EQ(verdict({}, here(there, "production")), Verdict::copy); }

TEST(ServerTraits, ARecordOfAnOlderVersionAgreesAndIsCompleted) {
  RecordedTraits old = recorded({});
  old.server->database.reset();
  EXPECT_EQ(verdict(old, here(there, "production")), Verdict::ours);
  RecordedTraits whole = recorded({there}, "production");
  whole.log = {16400, 16399};
  EXPECT_EQ(completed(old, with_log(*whole.log, "production")), whole);
}

TEST(ServerTraits, AllHostsOfTheUrlAreRecordedForTheNextFailover) {
  TraitsHere cluster = here();
  cluster.configured = {there, pooler};
  const RecordedTraits complete = completed(recorded(), cluster);
  EXPECT_EQ(complete.places, (std::vector<Place>{there, pooler}));
  EXPECT_EQ(completed(complete, cluster), complete);
  EXPECT_EQ(verdict(complete, here(pooler)), Verdict::ours);
}

TEST(ServerTraits, TheOldestPlacesMakeRoom) {
  RecordedTraits many = recorded({});
  for (int i = 0; i < 100; ++i) many = completed(many, here({"host" + std::to_string(i), "5432", "shop"}));
  EXPECT_EQ(many.places.size(), 32U);
  EXPECT_EQ(many.places.back().host, "host99");
}

TEST(Place, IsLocalWhereEachMachineMeansAnother) {
  for (const char* host :
       {"127.0.0.1", "127.1.2.3", "::1", "localhost", "db.localhost", "/var/run/postgresql", "@pg", ""}) {
    EXPECT_TRUE(is_local(host)) << host;
  }
  for (const char* host : {"db", "10.0.0.1", "localhost.example.com", "fe80::1"}) EXPECT_FALSE(is_local(host)) << host;
}

TEST(Place, ComesFromTheListsOfTheUrlAsTheyAreWritten) {
  using Places = std::vector<Place>;
  EXPECT_EQ(places_in({"db", "", "5432"}, "shop", "m"), (Places{{"db", "5432", "shop"}}));
  EXPECT_EQ(places_in({"a,b", "", "1,2"}, "shop", "m"), (Places{{"a", "1", "shop"}, {"b", "2", "shop"}}));
  EXPECT_EQ(places_in({"a,b", "", "1"}, "shop", "m"), (Places{{"a", "1", "shop"}, {"b", "1", "shop"}}));
  EXPECT_EQ(places_in({"", "10.0.0.1", "1"}, "shop", "m"), (Places{{"10.0.0.1", "1", "shop"}}));
  EXPECT_EQ(places_in({"a", "10.0.0.1", "1"}, "shop", "m"), (Places{{"a", "1", "shop"}}));
  EXPECT_EQ(places_in({"/run/pg", "", "1"}, "shop", "m"), (Places{{"/run/pg", "1", "shop", "m"}}));
  EXPECT_EQ(places_in({"", "", "1"}, "shop", "m"), Places{});
}

}  // namespace
}  // namespace makegood::postgres
