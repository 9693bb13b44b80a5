#include "cli/doctor_server.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace makegood::cli {
namespace {

using namespace std::chrono_literals;
using State = Diagnosis::State;

constexpr TimePoint today{std::chrono::hours(500'000)};

postgres::Examination a_sound_server() {
  return {
      .version = 150'004, .version_text = "15.4", .takes_writes = true, .is_synchronous = true, .sees_sessions = true};
}

Diagnosis found_by(const std::string& check, const postgres::Examination& server) {
  const Diagnoses all = diagnose_server(server, today);
  const auto found = std::ranges::find(all, check, &Diagnosis::check);
  return found != all.end() ? *found : Diagnosis{.check = "none", .what = "none"};
}

TEST(DoctorOnAServer, FindsNothingWrongWithASoundOne) {
  const Diagnoses all = diagnose_server(a_sound_server(), today);
  EXPECT_EQ(all.size(), 7U);
  EXPECT_TRUE(std::ranges::all_of(all, [](const Diagnosis& one) { return one.state == State::good; }));
}

TEST(DoctorOnAServer, SaysWhereToLookForRoomWhichNoServerTells) {
  auto server = a_sound_server();
  server.database_bytes = 3 << 20;
  const std::string what = found_by("disk", server).what;
  EXPECT_TRUE(what.starts_with("The database takes 3MiB.")) << what;
  EXPECT_NE(what.find("df -h"), std::string::npos);
}

TEST(DoctorOnAServer, FindsAVersionThatIsTooOld) {
  auto server = a_sound_server();
  server.version = 140'000;
  server.version_text = "14.0";
  const Diagnosis found = found_by("PostgreSQL", server);
  EXPECT_EQ(found.state, State::wrong);
  EXPECT_NE(found.what.find("14.0 is too old"), std::string::npos);
  EXPECT_EQ(found.mend, "Update to 14.1 or later.");
  server.version = postgres::oldest_version;
  EXPECT_EQ(found_by("PostgreSQL", server).state, State::good);
}

TEST(DoctorOnAServer, FindsThatItTakesNoWrites) {
  auto server = a_sound_server();
  server.takes_writes = false;
  const Diagnosis found = found_by("writes", server);
  EXPECT_EQ(found.state, State::wrong);
  EXPECT_NE(found.mend.find("target_session_attrs=read-write"), std::string::npos);
}

TEST(DoctorOnAServer, WarnsOfCommitsThatDoNotWait) {
  auto server = a_sound_server();
  server.is_synchronous = false;
  EXPECT_EQ(found_by("commits", server).state, State::warning);
}

TEST(DoctorOnAServer, FindsAClockThatIsAheadOrBehind) {
  auto server = a_sound_server();
  server.clock_ahead = 5s;
  EXPECT_EQ(found_by("clock", server).state, State::wrong);
  EXPECT_NE(found_by("clock", server).what.find("ahead of"), std::string::npos);
  server.clock_ahead = -5s;
  EXPECT_EQ(found_by("clock", server).state, State::wrong);
  EXPECT_NE(found_by("clock", server).what.find("behind"), std::string::npos);
}

TEST(DoctorOnAServer, DoesNotTakeALongWayForAWrongClock) {
  auto server = a_sound_server();
  server.clock_ahead = 5s;
  server.round_trip = 4s;
  EXPECT_EQ(found_by("clock", server).state, State::good);
}

TEST(DoctorOnAServer, WarnsOfAPreparedTransactionThatNobodyEnds) {
  auto server = a_sound_server();
  server.prepared_max = 10;
  server.prepared = "left behind";
  server.prepared_at = today - 11min;
  const Diagnosis found = found_by("two-phase", server);
  EXPECT_EQ(found.state, State::warning);
  EXPECT_NE(found.what.find("'left behind' has not ended"), std::string::npos);
  server.prepared_at = today - 9min;
  EXPECT_EQ(found_by("two-phase", server).state, State::good);
}

TEST(DoctorOnAServer, WarnsThatItDoesNotSeeWhoStandsStill) {
  auto server = a_sound_server();
  server.sees_sessions = false;
  const Diagnosis found = found_by("sessions", server);
  EXPECT_EQ(found.state, State::warning);
  EXPECT_NE(found.mend.find("pg_read_all_stats"), std::string::npos);
}

TEST(DoctorOnAServer, TellsOfAPooler) {
  auto server = a_sound_server();
  EXPECT_EQ(found_by("pooler", server).what, "none");
  server.is_pooled = true;
  EXPECT_EQ(found_by("pooler", server).state, State::good);
}

}  // namespace
}  // namespace makegood::cli
