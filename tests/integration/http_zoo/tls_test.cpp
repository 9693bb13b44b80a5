// TLS: only what can be verified gets a message, and the message leaves only then.
#include "tests/integration/http_zoo/at_the_zoo.hpp"

namespace makegood {
namespace {

using TlsAnimals = AtTheZoo;

TEST_F(TlsAnimals, ThatCannotBeVerifiedGetNoRequest) {
  for (const char* animal : {"tls-expired", "tls-wrong-host", "tls-self-signed", "tls-old-version", "tls-not-tls"}) {
    const Outcome outcome = outcome_at(animal);
    EXPECT_NE(outcome.kind, Kind::ok) << animal;
    EXPECT_NE(outcome.detail, "") << animal;
    EXPECT_FALSE(outcome.is_answer()) << animal << " costs time and no attempt";
    const Visits visits = zoo().visits(animal);
    EXPECT_EQ(visits.count, 0U) << animal;
    EXPECT_GE(visits.connections, 1U) << animal << " was asked";
  }
}

TEST_F(TlsAnimals, OfACaThatTheSystemDoesNotKnowAreRefusedUnlessItsFileIsNamed) {
  HttpSettings settings = settings_for("tls-ok");
  EXPECT_EQ(outcome_of(send(destination("named", settings))).kind, Kind::ok);
  settings.ca_file.clear();
  EXPECT_EQ(outcome_of(send(destination("unnamed", settings))).kind, Kind::retry)
      << "and the connection of the other destination, which was verified otherwise, is not used";
  EXPECT_EQ(zoo().visits("tls-ok").count, 1U);
}

TEST_F(TlsAnimals, ThatDemandACertificateGetTheDestinationsOwn) {
  HttpSettings settings = settings_for("tls-client-certificate");
  EXPECT_EQ(outcome_of(send(destination("nameless", settings))).kind, Kind::retry);
  settings.client_certificate = zoo().file("client_certificate");
  settings.client_key = zoo().file("client_key");
  EXPECT_EQ(outcome_of(send(destination("known", settings))).kind, Kind::ok);
  EXPECT_EQ(zoo().visits("tls-client-certificate").count, 1U);
}

TEST_F(TlsAnimals, ThatRenegotiateAreServedOnce) {
  const Outcome outcome = outcome_of(send(destination("tls-renegotiating", 3s)));
  EXPECT_EQ(outcome.kind, Kind::ok) << outcome;
  EXPECT_EQ(zoo().visits("tls-renegotiating").count, 1U);
}

TEST_F(TlsAnimals, HarmNoneOfTheHealthy) {
  for (const char* animal : {"tls-expired", "tls-hang", "tls-old-version", "tls-not-tls"}) {
    send_many(destination(animal), 20);
  }
  expect_the_healthy_are_served_promptly();
}

}  // namespace
}  // namespace makegood
