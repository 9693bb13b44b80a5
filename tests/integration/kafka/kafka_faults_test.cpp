// A Kafka that is killed and started again, and a consumer that others wrote.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>
#include <thread>

#include "makegood/brokers.hpp"
#include "tests/support/committed_message.hpp"
#include "tests/support/completion_inbox.hpp"
#include "tests/support/kafka_cluster.hpp"
#include "tests/support/temporary_folder.hpp"

namespace makegood {
namespace {

using namespace std::chrono_literals;
using testing_support::committed_message;
using testing_support::CompletionInbox;
using testing_support::KafkaCluster;

/// What a command prints.
std::string output_of(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::string text;
  std::array<char, 4096> part = {};
  while (const std::size_t size = std::fread(part.data(), 1, part.size(), pipe)) text.append(part.data(), size);
  ::pclose(pipe);
  while (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string server(const std::string& verb) {
  return output_of("python3 -B " MAKEGOOD_SUPPORT "/kafka_server.py " + verb + " 2>/dev/null");
}

DestinationPtr destination_at(const KafkaCluster& cluster, const std::string& topic, Destination others = {}) {
  KafkaSettings settings{.topic = topic};
  settings.access.servers.clear();
  std::istringstream all(cluster.for_all());
  for (std::string one; std::getline(all, one, ',');) settings.access.servers.push_back("kafka://" + one);
  return std::make_shared<const Destination>(kafka_destination("orders", settings, std::move(others)).value());
}

Delivery delivery_of(Ticket ticket, const std::string& key, const DestinationPtr& to) {
  return {
      .message = committed_message({.event_id = std::to_string(ticket), .dispatch_key = key, .content = R"({"a":1})"},
                                   static_cast<Sequence>(ticket)),
      .destination = to,
      .outbox = "makegood_outbox",
      .ticket = ticket};
}

/// Sends as a lane does: one of each key at a time, and again whatever has not arrived.
class OneOfEachKey {
 public:
  static constexpr Ticket keys = 10;
  static constexpr Ticket of_each = 30;

  OneOfEachKey(Transport& transport, DestinationPtr to) : transport_(transport), to_(std::move(to)) {
    for (Ticket key = 0; key < keys; ++key) next_[key] = 0;
  }
  bool is_done() const { return next_.empty(); }
  std::size_t arrived() const { return arrived_; }
  std::size_t failed() const { return failed_; }

  void send_one_of_each() {
    CompletionInbox inbox;
    std::vector<Delivery> batch;
    for (const auto& [key, number] : next_)
      batch.push_back(delivery_of(ticket_of(key), "k" + std::to_string(key), to_));
    const std::size_t count = batch.size();
    transport_.send(std::move(batch), inbox);
    ASSERT_TRUE(inbox.await(count, 60s));
    for (const Completion& completion : inbox.all()) note(completion);
    transport_.drain(inbox, 0ms);
  }

 private:
  Ticket ticket_of(Ticket key) const { return next_.at(key) * keys + key + 1; }
  void note(const Completion& completion) {
    const Ticket key = (completion.ticket - 1) % keys;
    ASSERT_NE(completion.outcome.kind, Outcome::Kind::fail) << completion.outcome.code;
    if (completion.outcome.kind != Outcome::Kind::ok) {
      ++failed_;
      return;
    }
    ++arrived_;
    if (++next_[key] == of_each) next_.erase(key);
  }

  Transport& transport_;
  const DestinationPtr to_;
  std::map<Ticket, Ticket> next_;
  std::size_t arrived_ = 0;
  std::size_t failed_ = 0;
};

void expect_all_in_order(const std::vector<testing_support::KafkaRecord>& records) {
  std::map<std::string, int> highest;
  std::map<std::string, std::size_t> count;
  for (const auto& record : records) {
    const int number = std::stoi(record.headers.at("sequence"));
    if (number <= highest[record.key]) continue;  // A repeat.
    highest[record.key] = number;
    ++count[record.key];
  }
  ASSERT_EQ(count.size(), OneOfEachKey::keys);
  for (const auto& [key, arrived] : count) EXPECT_EQ(arrived, OneOfEachKey::of_each) << key;
}

/// A Kafka of the test's own, which it may harm.
class OwnKafka {
 public:
  explicit OwnKafka(const std::string& options = {}) : cluster_(KafkaCluster::of_words(start(options))) {}
  ~OwnKafka() { harm("remove"); }
  OwnKafka(const OwnKafka&) = delete;
  OwnKafka& operator=(const OwnKafka&) = delete;

  const KafkaCluster& operator*() const { return cluster_; }
  const KafkaCluster* operator->() const { return &cluster_; }
  std::string start(const std::string& options = {}) const { return server("start " + place() + " " + options); }
  void harm(const std::string& verb, const std::string& options = {}) const {
    server(verb + " " + place() + " " + options);
  }

 private:
  std::string place() const { return folder_.file("kafka"); }

  const testing_support::TemporaryFolder folder_;
  const KafkaCluster cluster_;
};

class KafkaFaults : public testing::Test {
 protected:
  void SetUp() override {
    if (!KafkaCluster::of_environment()) GTEST_SKIP() << testing_support::no_kafka;
  }
  /// All that is left to send, and then what a consumer sees.
  static void expect_the_rest_in_order(OneOfEachKey& load, const OwnKafka& own, const std::string& topic) {
    for (int round = 0; !load.is_done() && round < 1000; ++round) load.send_one_of_each();
    EXPECT_TRUE(load.is_done());
    expect_all_in_order(own->read(topic, OneOfEachKey::keys * OneOfEachKey::of_each));
  }

  std::unique_ptr<Transport> transport_ = new_kafka_transport().value();
};

TEST_F(KafkaFaults, NothingIsLostOrOvertakenWhenTheServerIsKilled) {
  const OwnKafka own;
  const std::string topic = own->new_name();
  own->create_topic(topic, 3);
  OneOfEachKey load(*transport_, destination_at(*own, topic));
  while (load.arrived() < 50) load.send_one_of_each();
  own.harm("kill");
  {
    const std::jthread again([&] { own.start(); });
    load.send_one_of_each();
  }
  expect_the_rest_in_order(load, own, topic);
}

TEST_F(KafkaFaults, NothingIsLostOrOvertakenWhenTheServerStandsStill) {
  const OwnKafka own;
  const std::string topic = own->new_name();
  own->create_topic(topic, 3);
  Destination impatient;
  impatient.timeout = 1s;
  OneOfEachKey load(*transport_, destination_at(*own, topic, impatient));
  while (load.arrived() < 50) load.send_one_of_each();
  own.harm("freeze");
  load.send_one_of_each();
  EXPECT_GT(load.failed(), 0U) << "what is not answered in time is tried again";
  own.harm("thaw");
  expect_the_rest_in_order(load, own, topic);
}

TEST_F(KafkaFaults, NothingIsLostOrOvertakenWhenAnotherServerLeads) {
  const OwnKafka own("--nodes 3");
  const std::string topic = own->new_name();
  own->create_topic(topic, 1, {}, 3);
  OneOfEachKey load(*transport_, destination_at(*own, topic));
  while (load.arrived() < 50) load.send_one_of_each();
  const int leader = own->leader_of(topic);
  own.harm("kill", "--node " + std::to_string(leader));
  expect_the_rest_in_order(load, own, topic);
  EXPECT_NE(own->leader_of(topic), leader);
}

TEST_F(KafkaFaults, AConsumerInJavaReadsKeyHeadersAndValue) {
  const auto cluster = KafkaCluster::of_environment();
  const std::string topic = cluster->new_name();
  cluster->create_topic(topic);
  CompletionInbox inbox;
  std::vector<Delivery> one;
  one.push_back(delivery_of(7, "key-7", destination_at(*cluster, topic)));
  transport_->send(std::move(one), inbox);
  ASSERT_TRUE(inbox.await(1));
  const std::string printed = output_of(
      "java -cp '" + server("jars") + "/*' org.apache.kafka.tools.consumer.ConsoleConsumer --bootstrap-server " +
      cluster->for_all() + " --topic " + topic +
      " --from-beginning --max-messages 1 --timeout-ms 30000 --formatter-property print.headers=true"
      " --formatter-property print.key=true 2>/dev/null");
  for (const char* part : {"ce_id:7", "ce_type:order.created", "event_id:7", "sequence:7", "tenant_id:default",
                           "content-type:application/json", "\tkey-7\t", R"({"a":1})"}) {
    EXPECT_NE(printed.find(part), std::string::npos) << part << " in " << printed;
  }
}

}  // namespace
}  // namespace makegood
