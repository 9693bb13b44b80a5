// A broker that somebody has started: as the bare client library sees it, and as a destination of ours.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "makegood/destination.hpp"
#include "makegood/spi/transport.hpp"

namespace makegood::bench {

/// Reads what is stored from its construction on, as a consumer does that is there already.
class Reader {
 public:
  Reader() = default;
  virtual ~Reader() = default;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  /// The `event_id` of the next message; nothing: there was none for a moment.
  virtual std::optional<std::string> next() = 0;
};

/// Stops the program on any error: a benchmark that failed has no figure. Connected from its construction on.
class Broker {
 public:
  Broker() = default;
  virtual ~Broker() = default;
  Broker(const Broker&) = delete;
  Broker& operator=(const Broker&) = delete;

  /// Where messages go to (a topic, stream, queue) is there, and empty.
  virtual void renew() = 0;
  virtual Destination destination(Destination others) const = 0;
  virtual std::unique_ptr<Transport> transport() const = 0;
  /// The bare library: so many messages of the benchmarks with headers like ours, never more than that on their way,
  /// until all are confirmed.
  virtual void send_bare(std::size_t count, std::size_t in_flight) = 0;
  /// How many messages are there.
  virtual std::size_t stored() = 0;
  virtual std::unique_ptr<Reader> reader() = 0;
};

using Headers = std::vector<std::pair<std::string, std::string>>;
/// By the same names, and as long, as those that we send.
Headers headers_like_ours(std::string_view event_prefix);
/// Its payload, the same in all.
const std::string& content_like_ours();
/// Of the n-th message, as long as ours.
std::string event_id_like_ours(std::size_t number);

std::unique_ptr<Broker> open_kafka(const std::string& url);
std::unique_ptr<Broker> open_nats(const std::string& url);
std::unique_ptr<Broker> open_amqp(const std::string& url);
std::unique_ptr<Broker> open_redis(const std::string& url);
/// By the scheme of the URL that the program was given.
std::unique_ptr<Broker> open_broker();

/// `127.0.0.1:9092` of `kafka://127.0.0.1:9092`.
std::string address_in(const std::string& url);
int port_in(const std::string& url);

}  // namespace makegood::bench
