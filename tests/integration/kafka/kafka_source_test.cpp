// Kafka as the subject of the suite of sources.
#include "makegood/brokers.hpp"
#include "tests/conformance/transports/source_suite.hpp"
#include "tests/support/kafka_cluster.hpp"
#include "tests/support/value_of.hpp"

namespace makegood::conformance {
namespace {

using testing_support::KafkaCluster;

/// The one of the environment, which is everybody's: it is not killed here. consume_test.py kills one of its own.
class KafkaAsSource final : public SourceUnderTest {
 public:
  explicit KafkaAsSource(KafkaCluster cluster) : cluster_(std::move(cluster)) {}
  std::string scheme() const override { return "kafka"; }
  void make(const std::string& place) override { cluster_.create_topic(place); }
  std::string settings(const std::string& place) const override {
    return encode(KafkaSourceSettings{.access = {.servers = {url()}}, .topics = {place}});
  }
  std::unique_ptr<Transport> transport() const override { return value_of(new_kafka_transport()); }
  DestinationPtr destination(const std::string& place) const override {
    KafkaSettings settings{.topic = place};
    settings.access.servers = {url()};
    return std::make_shared<const Destination>(value_of(kafka_destination("source", settings)));
  }
  std::string place_beyond() const override { return "1000"; }
  bool can_be_killed() const override { return false; }

 private:
  std::string url() const { return "kafka://" + cluster_.for_all(); }

  const KafkaCluster cluster_;
};

std::unique_ptr<SourceUnderTest> kafka_as_source() {
  auto cluster = KafkaCluster::of_environment();
  return cluster ? std::make_unique<KafkaAsSource>(*std::move(cluster)) : nullptr;
}

INSTANTIATE_TEST_SUITE_P(Kafka, SourceSuite,
                         testing::Values(SourceEntry{"kafka", kafka_as_source,
                                                     std::string(testing_support::no_kafka)}));

}  // namespace
}  // namespace makegood::conformance
