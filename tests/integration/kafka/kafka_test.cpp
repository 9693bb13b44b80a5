// Deliveries to a real Kafka, and what becomes of them when it is not well.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ranges>

#include "makegood/brokers.hpp"
#include "tests/support/committed_message.hpp"
#include "tests/support/completion_inbox.hpp"
#include "tests/support/cutting_proxy.hpp"
#include "tests/support/kafka_cluster.hpp"

namespace makegood {
namespace {

using namespace std::chrono_literals;
using testing_support::committed_message;
using testing_support::CompletionInbox;
using testing_support::CuttingProxy;
using testing_support::KafkaCluster;
using testing_support::KafkaRecord;
using testing_support::MessageTexts;
using testing_support::Way;
using Kind = Outcome::Kind;
using Reach = Outcome::Reach;

class Kafka : public testing::Test {
 protected:
  void SetUp() override {
    cluster_ = KafkaCluster::of_environment();
    if (!cluster_) GTEST_SKIP() << testing_support::no_kafka;
    topic_ = cluster_->new_name();
    transport_ = new_kafka_transport().value();
  }
  void TearDown() override {
    if (transport_ != nullptr) transport_->drain(inbox_, 0ms);
  }

  KafkaSettings settings() const {
    KafkaSettings settings{.topic = topic_};
    settings.access.servers = {"kafka://" + cluster_->for_all()};
    return settings;
  }
  DestinationPtr to(const KafkaSettings& settings, Duration timeout = 30s) const {
    Destination others;
    others.timeout = timeout;
    return std::make_shared<const Destination>(kafka_destination("orders", settings, others).value());
  }
  Delivery delivery(Ticket ticket, DestinationPtr to, const MessageTexts& texts = {}) const {
    return {.message = committed_message(texts, static_cast<Sequence>(ticket)),
            .destination = std::move(to),
            .outbox = "makegood_outbox",
            .ticket = ticket};
  }
  void send(Delivery one) {
    std::vector<Delivery> deliveries;
    deliveries.push_back(std::move(one));
    transport_->send(std::move(deliveries), inbox_);
  }
  Outcome outcome_of(Delivery one) {
    const std::size_t before = inbox_.size();
    send(std::move(one));
    if (!inbox_.await(before + 1, 40s)) return Outcome::fail("NEVER.COMPLETED");
    return inbox_.all().back().outcome;
  }
  /// As a lane does: what comes back goes again, until each has ended.
  std::map<Ticket, Outcome> deliver_all(std::vector<Delivery> deliveries) {
    std::map<Ticket, Delivery> open;
    std::map<Ticket, Outcome> ended;
    for (const Delivery& one : deliveries) open.emplace(one.ticket, one);
    for (int round = 0; !open.empty() && round < 20; ++round) {
      CompletionInbox inbox;
      std::vector<Delivery> batch;
      for (const auto& [ticket, one] : open) batch.push_back(one);
      transport_->send(std::move(batch), inbox);
      if (!inbox.await(open.size(), 60s)) break;
      for (const Completion& completion : inbox.all()) {
        if (completion.outcome.kind == Kind::returned) continue;
        ended[completion.ticket] = completion.outcome;
        open.erase(completion.ticket);
      }
      transport_->drain(inbox, 0ms);
    }
    return ended;
  }

  std::optional<KafkaCluster> cluster_;
  std::string topic_;
  CompletionInbox inbox_;
  std::unique_ptr<Transport> transport_;
};

TEST_F(Kafka, CarriesContentKeyAndEveryHeader) {
  cluster_->create_topic(topic_);
  std::string every_byte;
  for (int byte = 0; byte < 256; ++byte) every_byte.push_back(static_cast<char>(byte));
  const MessageTexts texts{.event_id = "0190a1b2-0000-7000-8000-000000000001",
                           .tenant_id = "tenant-7",
                           .topic = "order.order.paid.v1",
                           .dispatch_key = "näher 1%",
                           .content = every_byte,
                           .content_type = "application/x-protobuf",
                           .headers = R"({"x-origin":"near"})",
                           .envelope_id = "envelope-1",
                           .traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                           .tracestate = "a=1"};
  EXPECT_EQ(outcome_of(delivery(7, to(settings()), texts)).kind, Kind::ok);
  const auto records = cluster_->read(topic_, 1);
  ASSERT_EQ(records.size(), 1U);
  const KafkaRecord& record = records.front();
  EXPECT_EQ(record.key, texts.dispatch_key);
  EXPECT_EQ(record.value, every_byte);
  const std::map<std::string, std::string> expected = {{"event_id", texts.event_id},
                                                       {"tenant_id", "tenant-7"},
                                                       {"topic", texts.topic},
                                                       {"sequence", "7"},
                                                       {"envelope_id", "envelope-1"},
                                                       {"traceparent", texts.traceparent},
                                                       {"tracestate", "a=1"},
                                                       {"x-origin", "near"},
                                                       {"content-type", texts.content_type},
                                                       {"ce_id", texts.event_id},
                                                       {"ce_type", texts.topic},
                                                       {"ce_specversion", "1.0"},
                                                       {"ce_subject", texts.dispatch_key},
                                                       {"ce_source", "/makegood/makegood_outbox/tenant-7"}};
  for (const auto& [name, value] : expected) {
    ASSERT_TRUE(record.headers.contains(name)) << name;
    EXPECT_EQ(record.headers.at(name), value) << name;
  }
}

TEST_F(Kafka, TakesTheEventIdAsTheKeyOfWhatHasNone) {
  cluster_->create_topic(topic_);
  outcome_of(delivery(1, to(settings()), {.event_id = "e-1"}));
  EXPECT_EQ(cluster_->read(topic_, 1).at(0).key, "e-1");
}

TEST_F(Kafka, SpeaksAsDebeziumDoesAndSendsTombstonesIfAskedTo) {
  cluster_->create_topic(topic_);
  KafkaSettings chosen = settings();
  chosen.headers = KafkaSettings::Headers::debezium;
  chosen.tombstones = KafkaSettings::Tombstones::yes;
  chosen.key = "{tenant}/{key}";
  outcome_of(delivery(1, to(chosen), {.event_id = "e-1", .dispatch_key = "k", .content = "null"}));
  const auto record = cluster_->read(topic_, 1).at(0);
  EXPECT_EQ(record.value, std::nullopt);
  EXPECT_EQ(record.key, "default/k");
  EXPECT_EQ(record.headers.at("id"), "e-1");
  EXPECT_EQ(record.headers.at("eventType"), "order.created");
  EXPECT_FALSE(record.headers.contains("ce_id"));
}

TEST_F(Kafka, KeepsEveryCodecReadable) {
  cluster_->create_topic(topic_);
  for (int codec = 0; codec < 5; ++codec) {
    KafkaSettings chosen = settings();
    chosen.compression = static_cast<KafkaSettings::Compression>(codec);
    EXPECT_EQ(outcome_of(delivery(1, to(chosen), {.content = std::string(5000, 'x')})).kind, Kind::ok) << codec;
  }
  EXPECT_EQ(cluster_->read(topic_, 5).size(), 5U);
}

TEST_F(Kafka, ATopicThatIsNotThereHoldsUpNobodyElseAndIsNotMade) {
  cluster_->create_topic(topic_);
  KafkaSettings by_topic = settings();
  by_topic.topic = "{topic}";
  const DestinationPtr both = to(by_topic);
  const std::string missing = cluster_->new_name();
  send(delivery(1, both, {.topic = missing}));
  send(delivery(2, both, {.topic = topic_}));
  ASSERT_TRUE(inbox_.await(2));
  for (const Completion& completion : inbox_.all()) {
    if (completion.ticket == 2) {
      EXPECT_EQ(completion.outcome.kind, Kind::ok);
    } else {
      EXPECT_EQ(completion.outcome.kind, Kind::retry);
      EXPECT_EQ(completion.outcome.code, "KAFKA.UNKNOWN_TOPIC_OR_PART");
      EXPECT_NE(completion.outcome.reach, Reach::answered) << "it costs no attempt";
    }
  }
  EXPECT_FALSE(cluster_->has_topic(missing));
}

TEST_F(Kafka, ATopicNameThatCannotBeIsTheMessagesFault) {
  KafkaSettings by_topic = settings();
  by_topic.topic = "{topic}";
  const Outcome outcome = outcome_of(delivery(1, to(by_topic), {.topic = "with space"}));
  EXPECT_EQ(outcome.kind, Kind::fail);
}

TEST_F(Kafka, OneThatIsTooLargeIsRefusedAndItsNeighboursAreNot) {
  cluster_->create_topic(topic_, 1, {{"max.message.bytes", "20000"}});
  constexpr Ticket count = 40;
  constexpr Ticket large = 17;
  std::vector<Delivery> deliveries;
  const DestinationPtr destination = to(settings());
  for (Ticket ticket = 1; ticket <= count; ++ticket) {
    const std::string content(ticket == large ? 30'000 : 100, 'x');
    deliveries.push_back(
        delivery(ticket, destination, {.dispatch_key = "k" + std::to_string(ticket), .content = content}));
  }
  const auto ended = deliver_all(std::move(deliveries));
  ASSERT_EQ(ended.size(), count);
  for (const auto& [ticket, outcome] : ended) {
    EXPECT_EQ(outcome.kind, ticket == large ? Kind::fail : Kind::ok) << ticket << " " << outcome.code;
  }
  EXPECT_EQ(ended.at(large).code, "KAFKA.MSG_SIZE_TOO_LARGE");
  EXPECT_EQ(cluster_->read(topic_, count - 1).size(), count - 1) << "each once";
}

TEST_F(Kafka, WhatIsAboveItsOwnLimitIsRefusedAtOnce) {
  cluster_->create_topic(topic_);
  KafkaSettings narrow = settings();
  narrow.message_bytes_max = 1000;
  const Outcome outcome = outcome_of(delivery(1, to(narrow), {.content = std::string(2000, 'x')}));
  EXPECT_EQ(outcome.kind, Kind::fail);
  EXPECT_EQ(outcome.code, "KAFKA.MSG_SIZE_TOO_LARGE");
}

TEST_F(Kafka, RefusedCredentialsKillNothing) {
  cluster_->create_topic(topic_);
  KafkaSettings with_password = settings();
  with_password.access.servers = {"kafka://" + cluster_->with_sasl()};
  with_password.sasl = KafkaSettings::Sasl::plain;
  with_password.access.username = "alice";
  with_password.access.password = "env:MAKEGOOD_SECRET_KAFKA_TEST";
  ::setenv("MAKEGOOD_SECRET_KAFKA_TEST", "looking-glass", 1);
  const Outcome refused = outcome_of(delivery(1, to(with_password)));
  EXPECT_EQ(refused.kind, Kind::retry);
  EXPECT_EQ(refused.reach, Reach::unreachable);
  EXPECT_NE(refused.detail.find("uthentication"), std::string::npos) << refused.detail;
  EXPECT_EQ(refused.detail.find("looking-glass"), std::string::npos);
  ::setenv("MAKEGOOD_SECRET_KAFKA_TEST", "wonderland", 1);
  EXPECT_EQ(outcome_of(delivery(2, to(with_password))).kind, Kind::ok);
}

TEST_F(Kafka, NobodyThereIsToldSoon) {
  KafkaSettings nowhere = settings();
  nowhere.access.servers = {"kafka://127.0.0.1:9"};
  const auto before = std::chrono::steady_clock::now();
  const Outcome outcome = outcome_of(delivery(1, to(nowhere)));
  EXPECT_EQ(outcome.kind, Kind::retry);
  EXPECT_EQ(outcome.reach, Reach::unreachable);
  EXPECT_LT(std::chrono::steady_clock::now() - before, 10s);
}

class KafkaBehindAProxy : public Kafka {
 protected:
  void SetUp() override {
    Kafka::SetUp();
    if (!cluster_) return;
    proxy_.emplace(cluster_->proxied_port(), cluster_->proxy_port());
    cluster_->create_topic(topic_);
  }
  DestinationPtr proxied(Duration timeout) const {
    KafkaSettings through = settings();
    through.access.servers = {"kafka://127.0.0.1:" + std::to_string(cluster_->proxy_port())};
    return to(through, timeout);
  }

  std::optional<CuttingProxy> proxy_;
};

TEST_F(KafkaBehindAProxy, SilenceIsATimeoutAndThoseBehindGoBack) {
  const DestinationPtr destination = proxied(1500ms);
  ASSERT_EQ(outcome_of(delivery(1, destination)).kind, Kind::ok);
  proxy_->hold(Way::to_client);
  send(delivery(2, destination));
  ASSERT_FALSE(inbox_.await(2, 700ms));
  send(delivery(3, destination));
  ASSERT_TRUE(inbox_.await(3));
  const auto all = inbox_.all();
  EXPECT_EQ(all.at(1).ticket, 2U);
  EXPECT_EQ(all.at(1).outcome.code, "TX.TIMEOUT");
  EXPECT_EQ(all.at(1).outcome.reach, Reach::silent);
  EXPECT_EQ(all.at(2).outcome.kind, Kind::returned) << "its time was not over";
  proxy_->release();
  EXPECT_EQ(outcome_of(delivery(4, proxied(20s))).kind, Kind::ok);
}

TEST_F(KafkaBehindAProxy, WhatIsInHandWhenTheConnectionIsLostArrivesOnce) {
  const DestinationPtr destination = proxied(30s);
  ASSERT_EQ(outcome_of(delivery(1, destination)).kind, Kind::ok);
  proxy_->hold(Way::to_client);
  for (Ticket ticket = 2; ticket <= 20; ++ticket) send(delivery(ticket, destination, {.dispatch_key = "k"}));
  ASSERT_FALSE(inbox_.await(2, 300ms));
  proxy_->cut();
  proxy_->release();
  ASSERT_TRUE(inbox_.await(20, 40s));
  for (const Completion& completion : inbox_.all()) EXPECT_EQ(completion.outcome.kind, Kind::ok);
  EXPECT_EQ(cluster_->read(topic_, 20).size(), 20U) << "the producer is idempotent";
}

TEST_F(KafkaBehindAProxy, WhereverTheConnectionIsLostEachArrivesOnceAndInOrder) {
  const DestinationPtr destination = proxied(30s);
  constexpr Ticket last = 20;
  constexpr std::uint64_t step = 127;
  for (Ticket ticket = 1; ticket <= last; ++ticket) {
    proxy_->cut_after(ticket % 2 == 0 ? Way::to_server : Way::to_client, (ticket - 1) / 2 * step);
    ASSERT_EQ(outcome_of(delivery(ticket, destination, {.dispatch_key = "k"})).kind, Kind::ok) << ticket;
  }
  const auto records = cluster_->read(topic_, last);
  ASSERT_EQ(records.size(), last) << "the producer is idempotent";
  for (Ticket ticket = 1; ticket <= last; ++ticket) {
    EXPECT_EQ(records.at(ticket - 1).headers.at("sequence"), std::to_string(ticket));
  }
}

TEST_F(KafkaBehindAProxy, NothingLeavesWhenTheLeaseIsOver) {
  const DestinationPtr destination = proxied(30s);
  ASSERT_EQ(outcome_of(delivery(1, destination)).kind, Kind::ok);
  proxy_->refuse();
  proxy_->cut();  // What is handed over now waits in the client.
  const auto lease = std::make_shared<Lease>(Lease::now() + 1h);
  Delivery late = delivery(2, destination);
  late.lease = lease;
  send(std::move(late));
  ASSERT_FALSE(inbox_.await(2, 300ms));
  lease->end();
  ASSERT_TRUE(inbox_.await(2, 5s));
  EXPECT_EQ(inbox_.all().at(1).outcome.kind, Kind::returned);
  proxy_->welcome();
  EXPECT_EQ(outcome_of(delivery(3, destination)).kind, Kind::ok);
  EXPECT_EQ(cluster_->read(topic_, 2).size(), 2U) << "without the one whose lease was over";
}

TEST_F(KafkaBehindAProxy, ADrainForgetsAndNothingOfItLeavesLater) {
  const DestinationPtr destination = proxied(30s);
  ASSERT_EQ(outcome_of(delivery(1, destination)).kind, Kind::ok);
  proxy_->refuse();
  proxy_->cut();
  send(delivery(2, destination));
  ASSERT_FALSE(inbox_.await(2, 200ms));
  transport_->drain(inbox_, 50ms);
  proxy_->welcome();
  EXPECT_EQ(outcome_of(delivery(3, destination)).kind, Kind::ok) << "it takes again from who was drained";
  EXPECT_EQ(inbox_.size(), 2U);
  EXPECT_EQ(cluster_->read(topic_, 2).size(), 2U);
}

TEST_F(Kafka, CompletesEachOfManyExactlyOnceAndInOrder) {
  cluster_->create_topic(topic_, 3);
  constexpr Ticket count = 5000;
  const DestinationPtr destination = to(settings());
  for (Ticket ticket = 1; ticket <= count;) {
    std::vector<Delivery> batch;
    for (; ticket <= count && batch.size() < 500; ++ticket) {
      batch.push_back(delivery(ticket, destination, {.dispatch_key = "k" + std::to_string(ticket % 7)}));
    }
    transport_->send(std::move(batch), inbox_);
  }
  ASSERT_TRUE(inbox_.await(count, 60s));
  EXPECT_EQ(inbox_.times().size(), count);
  std::map<std::string, int> last;
  const auto records = cluster_->read(topic_, count);
  EXPECT_EQ(records.size(), count);
  for (const KafkaRecord& record : records) {
    const int number = std::stoi(record.headers.at("sequence"));
    EXPECT_LT(last[record.key], number);
    last[record.key] = number;
  }
}

TEST(KafkaSettingsTest, AreReadAndWrittenAlike) {
  KafkaSettings settings{.topic = "{tenant}.{topic}", .sasl = KafkaSettings::Sasl::scram_sha_512};
  settings.access.servers = {"kafkas://a:9093"};
  settings.access.username = "u";
  settings.access.password = "env:MAKEGOOD_SECRET_P";
  settings.linger = 20ms;
  const auto again = decode_kafka_settings(encode(settings));
  ASSERT_TRUE(again);
  EXPECT_EQ(encode(*again), encode(settings));
  EXPECT_EQ(again->linger, 20ms);
}

TEST(KafkaSettingsTest, EveryMistakeIsNamed) {
  const auto refused = decode_kafka_settings(R"({"linger_ms":-1,"sasl":"magic","broker":"a"})");
  ASSERT_FALSE(refused);
  for (const char* name : {"linger_ms", "sasl", "broker"}) {
    EXPECT_NE(refused.error().message.find(name), std::string::npos) << refused.error().message;
  }
  KafkaSettings open{.sasl = KafkaSettings::Sasl::plain};
  open.access.servers = {"http://a"};
  const auto destination = kafka_destination("orders", open);
  ASSERT_FALSE(destination);
  for (const char* name : {"servers[0]", "username"}) {
    EXPECT_NE(destination.error().message.find(name), std::string::npos) << destination.error().message;
  }
}

}  // namespace
}  // namespace makegood
