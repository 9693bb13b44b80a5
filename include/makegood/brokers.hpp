// Deliveries to message brokers: Apache Kafka, NATS JetStream, Redis Streams, AMQP 0.9.1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/destination.hpp"
#include "makegood/http.hpp"
#include "makegood/result.hpp"
#include "makegood/spi/transport.hpp"

namespace makegood {

/// How a broker is reached. A secret is never here, only where it is: `file:/run/secrets/broker` or
/// `env:MAKEGOOD_SECRET_BROKER`; it is read when a connection is made. Destinations of one process that agree in all of
/// this share a connection.
struct BrokerAccess {
  std::vector<std::string> servers = {};  ///< URLs without user, password and path; tried in turn.
  std::string username = {};
  std::string password = {};            ///< Where it is.
  std::string ca_file = {};             ///< Instead of the system's.
  std::string client_certificate = {};  ///< A PEM file …
  std::string client_key = {};          ///< … and where its key is, a PEM file too.
};

/// What belongs to the process; in its configuration a key is `brokers.<name>`.
struct BrokerOptions {
  /// Networks of tenants, places of secrets, name servers and the time to connect are the same as for HTTP.
  HttpOptions network = {};
  /// Ports that destinations of tenants may have.
  std::vector<std::uint16_t> tenant_ports = {4222, 5671, 5672, 6379, 6380, 9092, 9093};
  /// Of one kind of broker. Destinations that find no place are tried again later.
  std::size_t connections_max = 64;
};

/// Where a source begins of which nothing was read yet.
enum class SourceBegin : std::uint8_t { earliest, latest };

// Apache Kafka
// --------------------------------------------------------------------------------------------------------------------

/// What a destination `kafka:<name>` needs, kept as JSON in `Destination::settings`. Topics are never made.
struct KafkaSettings {
  enum class Sasl : std::uint8_t { none, plain, scram_sha_256, scram_sha_512, oauthbearer };
  enum class Headers : std::uint8_t { cloudevents, debezium };  ///< By which names a record tells what it is.
  enum class Compression : std::uint8_t { none, gzip, snappy, lz4, zstd };
  enum class RecordTime : std::uint8_t { sent, created };
  enum class Tombstones : std::uint8_t { no, yes };

  BrokerAccess access = {};       ///< `kafka://`, or `kafkas://` with TLS; 9092 and 9093 go without saying.
  std::string topic = "{topic}";  ///< A template: `{tenant}.{topic}`.
  std::string key = {};           ///< A template. Empty: the dispatch key, and the event id of what has none.
  Headers headers = Headers::cloudevents;
  Tombstones tombstones = Tombstones::no;     ///< `yes`: the payload `null` becomes a record without a value.
  RecordTime record_time = RecordTime::sent;  ///< `created`: retention of the topic may remove what comes late at once.
  Compression compression = Compression::none;
  Duration linger = std::chrono::milliseconds(5);
  std::uint64_t batch_bytes = 1'000'000;
  std::uint64_t message_bytes_max = 1'000'000;  ///< What is larger is dead. The topic has a limit of its own.
  Sasl sasl = Sasl::none;
  std::string token = {};  ///< Of OAUTHBEARER: where it is. Read again before it ends.
};

std::string encode(const KafkaSettings& settings);
/// Every mistake in one error. What the JSON leaves out stays as it is in `present`.
Result<KafkaSettings> decode_kafka_settings(std::string_view json, KafkaSettings present = {});
/// `kafka:<name>` with these settings; refused with every mistake named.
Result<Destination> kafka_destination(const std::string& name, const KafkaSettings& settings, Destination others = {});

/// For one lane only: its client can be emptied as a whole and not in part.
Result<std::unique_ptr<Transport>> new_kafka_transport(BrokerOptions options = {}, const Clock& clock = system_clock());

/// What a source `kafka:<name>` needs. It reads all partitions of its topics.
struct KafkaSourceSettings {
  BrokerAccess access = {};
  std::vector<std::string> topics = {};
  std::string group = {};                     ///< Others see under it how far it is; empty: nobody.
  SourceBegin begin = SourceBegin::earliest;  ///< Of partitions that nobody has read yet.
  KafkaSettings::Sasl sasl = KafkaSettings::Sasl::none;
  std::string token = {};  ///< Of OAUTHBEARER: where it is.
};

std::string encode(const KafkaSourceSettings& settings);
/// Every mistake in one error.
Result<KafkaSourceSettings> decode_kafka_source_settings(std::string_view json);

// NATS JetStream
// --------------------------------------------------------------------------------------------------------------------

/// What a destination `nats:<name>` needs, kept as JSON in `Destination::settings`. Streams are never made: one that
/// takes the subject has to be there.
struct NatsSettings {
  BrokerAccess access = {};  ///< `nats://` or `tls://`; 4222 goes without saying.
  std::string subject = {};  ///< A template: `orders.{tenant}.{topic}`.
  std::string token = {};    ///< Where it is.
  std::string user_key =
      {};  ///< Where the seed of a user (`SU…`) is, or a file of credentials that holds a JWT as well.
};

std::string encode(const NatsSettings& settings);
/// Every mistake in one error. What the JSON leaves out stays as it is in `present`.
Result<NatsSettings> decode_nats_settings(std::string_view json, NatsSettings present = {});
/// `nats:<name>` with these settings; refused with every mistake named.
Result<Destination> nats_destination(const std::string& name, const NatsSettings& settings, Destination others = {});

Result<std::unique_ptr<Transport>> new_nats_transport(BrokerOptions options = {}, const Clock& clock = system_clock());

/// What a source `nats:<name>` needs. The stream has to keep what is read for as long as its limits say.
struct NatsSourceSettings {
  BrokerAccess access = {};
  std::string stream = {};
  std::string subject = {};  ///< Only what was published to it; empty: everything.
  SourceBegin begin = SourceBegin::earliest;
  std::string token = {};     ///< Where it is.
  std::string user_key = {};  ///< As of a destination.
};

std::string encode(const NatsSourceSettings& settings);
/// Every mistake in one error.
Result<NatsSourceSettings> decode_nats_source_settings(std::string_view json);

// Redis Streams
// --------------------------------------------------------------------------------------------------------------------

/// What a destination `redis:<name>` needs, kept as JSON in `Destination::settings`.
struct RedisSettings {
  BrokerAccess access = {};     ///< `redis://` or `rediss://`; 6379 goes without saying.
  std::string stream = {};      ///< A template: `orders:{tenant}`.
  std::string database = {};    ///< Its number; empty: 0.
  std::string max_length = {};  ///< About so many entries are kept, whether they were read or not; empty: all.
  std::string replicas = {};    ///< How many must have an entry before it counts as stored; empty: none.
  /// How long the server remembers what it has stored, so that a repeat is not stored again (`24h`), or `off`. Empty:
  /// as long as a delivery may be repeated.
  std::string repeat_guard = {};
};

std::string encode(const RedisSettings& settings);
/// Every mistake in one error. What the JSON leaves out stays as it is in `present`.
Result<RedisSettings> decode_redis_settings(std::string_view json, RedisSettings present = {});
/// `redis:<name>` with these settings; refused with every mistake named.
Result<Destination> redis_destination(const std::string& name, const RedisSettings& settings, Destination others = {});

Result<std::unique_ptr<Transport>> new_redis_transport(BrokerOptions options = {}, const Clock& clock = system_clock());

/// What a source `redis:<name>` needs.
struct RedisSourceSettings {
  BrokerAccess access = {};
  std::string stream = {};
  std::string database = {};  ///< Its number; empty: 0.
  std::string group = {};     ///< Others see under it how far it is; empty: nobody.
  SourceBegin begin = SourceBegin::earliest;
};

std::string encode(const RedisSourceSettings& settings);
/// Every mistake in one error.
Result<RedisSourceSettings> decode_redis_source_settings(std::string_view json);

// AMQP 0.9.1: RabbitMQ and its kin
// --------------------------------------------------------------------------------------------------------------------

/// What a destination `amqp:<name>` needs, kept as JSON in `Destination::settings`. Exchanges and queues are never
/// made.
struct AmqpSettings {
  BrokerAccess access = {};      ///< `amqp://` (5672) or `amqps://` (5671); without a username: guest.
  std::string exchange = {};     ///< Empty: the default exchange, where the routing key names a queue.
  std::string routing_key = {};  ///< A template: `orders.{topic}`.
  std::string vhost = {};        ///< Empty: `/`.
};

std::string encode(const AmqpSettings& settings);
/// Every mistake in one error. What the JSON leaves out stays as it is in `present`.
Result<AmqpSettings> decode_amqp_settings(std::string_view json, AmqpSettings present = {});
/// `amqp:<name>` with these settings; refused with every mistake named.
Result<Destination> amqp_destination(const std::string& name, const AmqpSettings& settings, Destination others = {});

Result<std::unique_ptr<Transport>> new_amqp_transport(BrokerOptions options = {}, const Clock& clock = system_clock());

/// What a source `amqp:<name>` needs.
struct AmqpSourceSettings {
  BrokerAccess access = {};
  std::string queue = {};
  std::string vhost = {};        ///< Empty: `/`.
  std::uint64_t prefetch = 250;  ///< So many are on their way to the log at once.
};

std::string encode(const AmqpSourceSettings& settings);
/// Every mistake in one error.
Result<AmqpSourceSettings> decode_amqp_source_settings(std::string_view json);

}  // namespace makegood
