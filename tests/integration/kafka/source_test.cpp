// Reading from a real Kafka: from where it is told to, and never from where the group has committed.
#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

#include <chrono>

#include "base/sources.hpp"
#include "makegood/brokers.hpp"
#include "makegood/spi/registry.hpp"
#include "makegood/spi/source_store.hpp"
#include "tests/support/committed_message.hpp"
#include "tests/support/completion_inbox.hpp"
#include "tests/support/kafka_cluster.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/value_of.hpp"

namespace makegood {
namespace {

using namespace std::chrono_literals;
using testing_support::CompletionInbox;
using testing_support::KafkaCluster;

const SourceKind& kafka_sources() {
  static const std::shared_ptr<Transports> transports = usual_transports();
  return *transports->kind_of("kafka:orders")->source();
}

class KafkaSource : public testing::Test {
 protected:
  void SetUp() override {
    cluster_ = KafkaCluster::of_environment();
    if (!cluster_) GTEST_SKIP() << testing_support::no_kafka;
    topic_ = cluster_->new_name();
    transport_ = new_kafka_transport().value();
  }
  void create(int partitions = 1) { cluster_->create_topic(topic_, partitions); }
  KafkaSourceSettings settings() const {
    KafkaSourceSettings settings;
    settings.access.servers = {"kafka://" + cluster_->for_all()};
    settings.topics = {topic_};
    settings.group = topic_;
    return settings;
  }
  std::unique_ptr<Source> open(const KafkaSourceSettings& settings) const {
    return value_of(kafka_sources().open("kafka:orders", encode(settings), system_clock()));
  }
  /// By our own transport, as another outbox would.
  void publish(std::size_t first, std::size_t count) {
    KafkaSettings to{.topic = topic_};
    to.access.servers = {"kafka://" + cluster_->for_all()};
    const auto destination = std::make_shared<const Destination>(kafka_destination("orders", to).value());
    CompletionInbox inbox;
    std::vector<Delivery> deliveries;
    for (std::size_t number = first; number < first + count; ++number) {
      const testing_support::MessageTexts texts{.event_id = "e" + std::to_string(number),
                                                .dispatch_key = "k" + std::to_string(number % 4)};
      deliveries.push_back({.message = testing_support::committed_message(texts, static_cast<Sequence>(number + 1)),
                            .destination = destination,
                            .outbox = "makegood_outbox",
                            .ticket = number + 1});
    }
    transport_->send(std::move(deliveries), inbox);
    ASSERT_TRUE(inbox.await(count, 40s));
    transport_->drain(inbox, 0ms);
  }
  /// Until so many have arrived, or an error has; each partition is begun where `next` says.
  Result<std::vector<Arrival>> read(Source& source, std::size_t count, std::map<std::string, std::string> next = {}) {
    std::vector<Arrival> arrivals;
    const auto give_up_at = std::chrono::steady_clock::now() + 60s;
    while (arrivals.size() < count && std::chrono::steady_clock::now() < give_up_at) {
      Polled polled = MAKEGOOD_TRY(source.poll({}, 200ms));
      if (polled.partitions) MAKEGOOD_TRY(begin(source, *polled.partitions, next));
      std::ranges::move(polled.arrivals, std::back_inserter(arrivals));
    }
    return arrivals;
  }
  static Result<> begin(Source& source, const std::vector<std::string>& partitions,
                        const std::map<std::string, std::string>& next) {
    std::vector<SourcePlace> places;
    for (const std::string& partition : partitions) {
      const auto known = next.find(partition);
      places.push_back({partition, known != next.end() ? known->second : MAKEGOOD_TRY(source.first(partition))});
    }
    return source.start(places);
  }

  std::optional<KafkaCluster> cluster_;
  std::string topic_;
  std::unique_ptr<Transport> transport_;
};

TEST_F(KafkaSource, ReadsWhatIsThereInTheOrderOfEachPartition) {
  create(3);
  publish(0, 30);
  const auto source = open(settings());
  const auto arrivals = value_of(read(*source, 30));
  ASSERT_EQ(arrivals.size(), 30U);
  std::map<std::string, std::int64_t> last;
  for (const Arrival& arrival : arrivals) {
    const auto [known, is_first] = last.try_emplace(arrival.partition, -1);
    EXPECT_GT(std::stoll(arrival.at), known->second);
    EXPECT_EQ(std::stoll(arrival.next), std::stoll(arrival.at) + 1);
    known->second = std::stoll(arrival.at);
  }
}

TEST_F(KafkaSource, BeginsWhereItIsToldToWhateverTheGroupHasCommitted) {
  create();
  publish(0, 10);
  const auto source = open(settings());
  ASSERT_EQ(value_of(read(*source, 10)).size(), 10U);
  source->acknowledge({{topic_ + "/0", "10"}});
  ASSERT_TRUE(source->start({{topic_ + "/0", "4"}}));
  const auto again = value_of(read(*source, 6));
  ASSERT_EQ(again.size(), 6U);
  EXPECT_EQ(again.front().at, "4");
}

// A group would give the only partition to one of them.
TEST_F(KafkaSource, ReadsWhatAFrozenPredecessorHasNotLetGo) {
  create();
  publish(0, 3);
  const auto frozen = open(settings());
  ASSERT_EQ(value_of(read(*frozen, 3)).size(), 3U);
  const auto next = open(settings());
  EXPECT_EQ(value_of(read(*next, 3)).size(), 3U);
}

TEST_F(KafkaSource, BeginsAtTheEndIfItIsAskedTo) {
  create();
  publish(0, 5);
  KafkaSourceSettings latest = settings();
  latest.begin = SourceBegin::latest;
  const auto source = open(latest);
  ASSERT_TRUE(read(*source, 0));
  std::optional<std::vector<std::string>> partitions;
  while (!partitions) partitions = value_of(source->poll({}, 200ms)).partitions;
  EXPECT_EQ(value_of(source->first(partitions->at(0))), "5");
}

TEST_F(KafkaSource, SaysThatWhatComesNextIsGone) {
  create();
  publish(0, 5);
  const auto source = open(settings());
  std::vector<std::string> gone;
  while (gone.empty()) {
    const Polled polled = value_of(source->poll({}, 200ms));
    if (polled.partitions) must(begin(*source, *polled.partitions, {{topic_ + "/0", "1000"}}));
    gone = polled.gone;
  }
  EXPECT_EQ(gone, (std::vector<std::string>{topic_ + "/0"}));
}

TEST_F(KafkaSource, HandsOverNothingWhileItIsHeld) {
  create();
  publish(0, 5);
  const auto source = open(settings());
  ASSERT_EQ(value_of(read(*source, 5)).size(), 5U);
  source->hold(true);
  publish(5, 5);
  EXPECT_TRUE(value_of(source->poll({}, 1s)).arrivals.empty());
  source->hold(false);
  EXPECT_EQ(value_of(read(*source, 5)).size(), 5U);
}

TEST_F(KafkaSource, KnowsHowMuchIsBehindIt) {
  create();
  publish(0, 20);
  const auto source = open(settings());
  std::vector<Arrival> arrivals;
  while (arrivals.empty()) {
    Polled polled = value_of(source->poll({.rows_max = 5, .bytes_max = 1 << 20}, 200ms));
    if (polled.partitions) must(begin(*source, *polled.partitions, {}));
    arrivals = std::move(polled.arrivals);
  }
  EXPECT_EQ(source->behind().at(topic_ + "/0"), 20 - static_cast<std::int64_t>(arrivals.size()));
}

TEST_F(KafkaSource, SaysThatATopicIsNotThere) {
  const auto source = open(settings());
  const auto arrivals = read(*source, 1);
  ASSERT_FALSE(arrivals);
  EXPECT_EQ(arrivals.error().code, Errc::unavailable);
  EXPECT_FALSE(cluster_->has_topic(topic_));
}

TEST_F(KafkaSource, LetsAZombieWriteNothing) {
  create();
  publish(0, 8);
  const testing_support::TemporaryFolder folder;
  const std::string url = "sqlite:" + folder.file("store.db");
  ASSERT_TRUE(open_store(url, "orders_in"));
  const auto store = value_of(open_source_store(url, "orders_in", true));
  const auto take = [&](const std::vector<Arrival>& arrivals, const std::string& was) {
    std::vector<NewMessage> messages;
    for (const Arrival& arrival : arrivals) messages.push_back({.topic = "t", .payload = "{}", .event_id = arrival.at});
    const std::vector<SourceMove> moves = {{.partition = topic_ + "/0", .was = was, .next = arrivals.back().next}};
    return store->take_in({.source = "kafka:orders", .moves = moves, .messages = messages});
  };
  const auto zombie = open(settings());
  const auto in_hand = value_of(read(*zombie, 8));
  const auto successor = open(settings());
  ASSERT_TRUE(take(value_of(read(*successor, 8)), ""));
  EXPECT_EQ(take(in_hand, "").error().code, Errc::fenced);
  EXPECT_EQ(value_of(value_of(open_outbox_view(url, "orders_in"))->list({}, {}, 100)).messages.size(), 8U);
}

TEST(KafkaSourceSettings, NameEveryMistakeAtOnce) {
  const auto checked =
      kafka_sources().check("kafka:orders", R"({"servers": [], "topics": ["no topic"], "sasl": "plain"})");
  ASSERT_FALSE(checked);
  for (const char* part : {"servers", "topics[0]", "username"}) {
    EXPECT_NE(checked.error().message.find(part), std::string::npos) << part << " in " << checked.error().message;
  }
}

}  // namespace
}  // namespace makegood
