// The promises of a source on a real broker, written once. A broker joins by saying how it is filled, and by one line.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <vector>

#include "base/sources.hpp"
#include "engine/consumer.hpp"
#include "makegood/spi/source.hpp"
#include "makegood/spi/source_store.hpp"
#include "makegood/spi/transport.hpp"
#include "tests/support/committed_message.hpp"
#include "tests/support/temporary_folder.hpp"

namespace makegood::conformance {

class SourceUnderTest {
 public:
  virtual ~SourceUnderTest() = default;
  virtual std::string scheme() const = 0;
  /// Empty, with one partition.
  virtual void make(const std::string& place) = 0;
  /// Of a source that reads it.
  virtual std::string settings(const std::string& place) const = 0;
  /// Of our own, that fills it.
  virtual std::unique_ptr<Transport> transport() const = 0;
  virtual DestinationPtr destination(const std::string& place) const = 0;
  /// Where nothing is any more; empty: the broker has no such places.
  virtual std::string place_beyond() const { return {}; }
  /// Whether it says that there is nothing of that name: a stream of Redis begins with its first entry.
  virtual bool knows_what_is_missing() const { return true; }
  virtual bool can_be_killed() const { return true; }
  /// What it has stored stays.
  virtual void kill() {}
  virtual void start() {}
};

struct SourceEntry {
  std::string name;
  std::function<std::unique_ptr<SourceUnderTest>()> open;  ///< Null: what it needs is missing.
  std::string missing = {};                                ///< What that is.
};
inline std::ostream& operator<<(std::ostream& out, const SourceEntry& entry) { return out << entry.name; }

/// How many messages consumers have taken in.
class TakenIn final : public Observer {
 public:
  void source(std::string_view outbox, std::string_view source, const SourceNews& news) override;
  bool await(SourceNews::Kind kind, std::size_t count);

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<SourceNews::Kind, std::size_t> counts_;
};

class SourceSuite : public testing::TestWithParam<SourceEntry> {
 protected:
  void SetUp() override;

  /// Messages `e<first>` … of two keys.
  void publish(std::size_t first, std::size_t count);
  void publish(const testing_support::MessageTexts& texts);
  std::unique_ptr<Source> open() const { return open_at(place_); }
  std::unique_ptr<Source> open_at(const std::string& place) const;
  /// Until so many have arrived, or an error has; it begins where `next` says, or at the beginning.
  static Result<std::vector<Arrival>> read(Source& source, std::size_t count, const std::string& next = {});
  static std::vector<std::string> events_of(const std::vector<Arrival>& arrivals);
  static std::vector<std::string> events(std::size_t first, std::size_t count);

  std::unique_ptr<Consumer> consumer();
  /// In the log, in its order.
  std::vector<std::string> taken_in() const;

  std::unique_ptr<SourceUnderTest> subject_;
  std::unique_ptr<Transport> transport_;
  std::string place_;
  std::string name_;
  testing_support::TemporaryFolder folder_;
  std::string url_;
  std::unique_ptr<SourceStore> store_;
  TakenIn news_;
};

}  // namespace makegood::conformance
