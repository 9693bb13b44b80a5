#include "engine/consumer.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>

#include "makegood/spi/registry.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/value_of.hpp"

namespace makegood {
namespace {

using namespace std::chrono_literals;

constexpr const char* outbox = "orders_in";
constexpr const char* source_name = "kafka:orders";

/// One partition of a broker in memory, which any number of readers share.
class Broker {
 public:
  void publish(const std::string& event_id) {
    const std::scoped_lock lock(mutex_);
    log_.push_back(event_id);
    changed_.notify_all();
  }
  std::vector<std::string> from(std::size_t offset, std::size_t rows_max) {
    const std::scoped_lock lock(mutex_);
    std::vector<std::string> read;
    for (; offset < log_.size() && read.size() < rows_max; ++offset) read.push_back(log_[offset]);
    return read;
  }
  void await_more_than(std::size_t offset, Duration wait) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, wait, [&] { return log_.size() > offset; });
  }
  void note_acknowledged(const std::string& next) {
    const std::scoped_lock lock(mutex_);
    acknowledged_ = next;
    changed_.notify_all();
  }
  bool await_acknowledged(const std::string& next) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 10s, [&] { return acknowledged_ == next; });
  }
  std::atomic<bool> is_away = false;
  std::atomic<bool> is_held = false;
  void lose(const std::string& partition) {
    const std::scoped_lock lock(mutex_);
    gone_.push_back(partition);
  }
  /// One at a time, as they are noticed.
  std::vector<std::string> take_gone() {
    const std::scoped_lock lock(mutex_);
    if (gone_.empty()) return {};
    std::vector<std::string> one = {gone_.front()};
    gone_.pop_front();
    return one;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> log_;
  std::deque<std::string> gone_;
  std::string acknowledged_;
};

class Reader final : public Source {
 public:
  explicit Reader(Broker& broker) : broker_(broker) {}
  Result<Polled> poll(const PollLimits& limits, Duration wait) override {
    if (broker_.is_away) return Error{Errc::unavailable, "The broker is away."};
    if (!std::exchange(has_told_, true)) return Polled{.partitions = std::vector<std::string>{"orders/0"}};
    if (!is_held_) broker_.await_more_than(next_, wait);
    Polled polled{.gone = broker_.take_gone()};
    if (is_held_) return polled;
    for (const std::string& event_id : broker_.from(next_, limits.rows_max)) {
      const std::string at = std::to_string(next_++);
      polled.arrivals.push_back({.partition = "orders/0",
                                 .at = at,
                                 .next = std::to_string(next_),
                                 .topic = "orders",
                                 .value = "{}",
                                 .headers = {{event_id.starts_with('!') ? "no name" : "event_id", event_id}}});
    }
    return polled;
  }
  Result<std::string> first(const std::string& /*partition*/) override { return std::string("0"); }
  Result<> start(const std::vector<SourcePlace>& places) override {
    for (const SourcePlace& place : places) next_ = std::stoul(place.next);
    return {};
  }
  void acknowledge(const std::vector<SourcePlace>& places) override { broker_.note_acknowledged(places.at(0).next); }
  void hold(bool is_held) override {
    is_held_ = is_held;
    broker_.is_held = is_held;
  }
  std::map<std::string, std::int64_t> behind() override { return {{"orders/0", 3}}; }

 private:
  Broker& broker_;
  std::size_t next_ = 0;
  bool has_told_ = false;
  bool is_held_ = false;
};

/// What was told, to wait for.
class News final : public Observer {
 public:
  void source(std::string_view /*outbox*/, std::string_view /*source*/, const SourceNews& news) override {
    const std::scoped_lock lock(mutex_);
    counts_[news.kind] += news.kind == SourceNews::Kind::behind ? 1 : std::max<std::size_t>(news.count, 1);
    changed_.notify_all();
  }
  bool await(SourceNews::Kind kind, std::size_t count = 1) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, 10s, [&] { return counts_[kind] >= count; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<SourceNews::Kind, std::size_t> counts_;
};

class Consumers : public ::testing::Test {
 protected:
  void SetUp() override {
    log_ = value_of(open_store(url_, outbox));
    store_ = value_of(open_source_store(url_, outbox, true));
    must(store_->put(source_name, "{}"));
  }
  std::unique_ptr<Consumer> consumer(std::size_t backlog_max = 1000) {
    const ConsumerOptions options{.outbox = outbox,
                                  .rules = {source_name, "order.placed", {}},
                                  .backlog_max = backlog_max,
                                  .limits = {.rows_max = 4}};
    return std::make_unique<Consumer>(
        options, Consumer::Parts{.open_store = [this] { return open_source_store(url_, outbox); },
                                 .open_source = [this]() -> Result<std::unique_ptr<Source>> {
                                   return std::unique_ptr<Source>(std::make_unique<Reader>(broker_));
                                 },
                                 .wake = {},
                                 .observer = &news_});
  }
  std::vector<std::string> rows() {
    const auto page = value_of(value_of(open_outbox_view(url_, outbox))->list({}, {}, 1000));
    std::vector<std::string> events;
    for (const auto& message : page.messages) events.insert(events.begin(), message.event_id);
    return events;
  }
  std::string next() { return value_of(store_->places(source_name)).at(0).place.next; }

  const testing_support::TemporaryFolder folder_;
  const std::string url_ = "sqlite:" + folder_.file("store.db");
  std::unique_ptr<OutboxStore> log_;
  std::unique_ptr<SourceStore> store_;
  Broker broker_;
  News news_;
};

const LaneFigures owned{.is_owner = true};

TEST_F(Consumers, TakeInWhatTheBrokerHasAndTellItAfterwards) {
  for (const char* event : {"a", "b", "c", "d", "e"}) broker_.publish(event);
  const auto reading = consumer();
  reading->note(owned);
  reading->start();
  ASSERT_TRUE(broker_.await_acknowledged("5"));
  EXPECT_EQ(rows(), (std::vector<std::string>{"a", "b", "c", "d", "e"}));
  EXPECT_EQ(next(), "5");
  EXPECT_TRUE(news_.await(SourceNews::Kind::taken, 5));
  EXPECT_TRUE(news_.await(SourceNews::Kind::reads));
  EXPECT_TRUE(news_.await(SourceNews::Kind::behind));
}

TEST_F(Consumers, ReadNothingWithoutTheLane) {
  broker_.publish("a");
  const auto reading = consumer();
  reading->start();
  reading->note(owned);
  ASSERT_TRUE(broker_.await_acknowledged("1"));
}

TEST_F(Consumers, GoOnWhereTheStoreSaysAndNotTheBroker) {
  for (const char* event : {"a", "b", "c"}) broker_.publish(event);
  const std::vector<SourceMove> moves = {{.partition = "orders/0", .was = {}, .next = "2"}};
  ASSERT_TRUE(store_->take_in({.source = source_name, .moves = moves, .messages = {}}));
  const auto reading = consumer();
  reading->note(owned);
  reading->start();
  ASSERT_TRUE(broker_.await_acknowledged("3"));
  EXPECT_EQ(rows(), (std::vector<std::string>{"c"}));
}

TEST_F(Consumers, WriteNothingAfterSomebodyElseHasGoneOn) {
  broker_.publish("a");
  const auto reading = consumer();
  reading->note(owned);
  reading->start();
  ASSERT_TRUE(broker_.await_acknowledged("1"));
  // The rival goes on with b and c before this one has heard of them.
  const std::vector<SourceMove> moves = {{.partition = "orders/0", .was = "1", .next = "3"}};
  const std::vector<NewMessage> messages = {{.topic = "t", .payload = "{}", .event_id = "b"},
                                            {.topic = "t", .payload = "{}", .event_id = "c"}};
  ASSERT_TRUE(store_->take_in({.source = source_name, .moves = moves, .messages = messages}));
  for (const char* event : {"b", "c", "d"}) broker_.publish(event);
  EXPECT_TRUE(news_.await(SourceNews::Kind::fenced));
  ASSERT_TRUE(broker_.await_acknowledged("4"));
  EXPECT_EQ(rows(), (std::vector<std::string>{"a", "b", "c", "d"}));
}

TEST_F(Consumers, KeepWhatCannotBeTakenInAsADeadLetter) {
  for (const char* event : {"a", "!odd", "b"}) broker_.publish(event);
  const auto reading = consumer();
  reading->note(owned);
  reading->start();
  ASSERT_TRUE(broker_.await_acknowledged("3"));
  EXPECT_TRUE(news_.await(SourceNews::Kind::unreadable));
  EXPECT_EQ(rows(), (std::vector<std::string>{"a", "kafka:orders/orders/0@1", "b"}));
}

TEST_F(Consumers, KeepADifferentMessageUnderAKnownIdAsADeadLetterAndItsNeighboursAsTheyAre) {
  const std::vector<NewMessage> others = {{.topic = "other", .payload = "7", .event_id = "b"}};
  ASSERT_TRUE(store_->take_in({.source = "kafka:other", .moves = {}, .messages = others}));
  for (const char* event : {"a", "b", "c"}) broker_.publish(event);
  const auto reading = consumer();
  reading->note(owned);
  reading->start();
  ASSERT_TRUE(broker_.await_acknowledged("3"));
  EXPECT_EQ(rows(), (std::vector<std::string>{"b", "a", "kafka:orders/orders/0@1", "c"}));
}

TEST_F(Consumers, CountWhatTheyHaveAlready) {
  for (const char* event : {"a", "a", "b"}) broker_.publish(event);
  const auto reading = consumer();
  reading->note(owned);
  reading->start();
  ASSERT_TRUE(broker_.await_acknowledged("3"));
  EXPECT_TRUE(news_.await(SourceNews::Kind::repeated));
  EXPECT_EQ(rows(), (std::vector<std::string>{"a", "b"}));
}

TEST_F(Consumers, RestWhileTheLogIsFull) {
  for (int event = 0; event < 20; ++event) broker_.publish(std::to_string(event));
  const auto reading = consumer(8);
  reading->note(owned);
  reading->start();
  ASSERT_TRUE(broker_.await_acknowledged("8"));
  ASSERT_TRUE(news_.await(SourceNews::Kind::behind, 2));  // It lives, and a second has passed.
  EXPECT_TRUE(broker_.is_held);
  EXPECT_EQ(rows().size(), 8U);
  reading->note(owned);
  EXPECT_TRUE(broker_.await_acknowledged("16"));
}

TEST_F(Consumers, NameEveryPartitionThatTheBrokerHasLost) {
  broker_.publish("a");
  const auto reading = consumer();
  reading->note(owned);
  reading->start();
  ASSERT_TRUE(broker_.await_acknowledged("1"));
  for (const char* partition : {"orders/2", "orders/1"}) broker_.lose(partition);
  ASSERT_TRUE(news_.await(SourceNews::Kind::stopped, 2));
  const SourceRow row = value_of(store_->sources()).at(0);
  EXPECT_EQ(row.code, "SOURCE.GONE");
  EXPECT_NE(row.trouble.find("orders/1, orders/2"), std::string::npos) << row.trouble;
}

TEST_F(Consumers, SayWhatKeepsThemFromReadingAndGoOnAfterwards) {
  broker_.is_away = true;
  const auto reading = consumer();
  reading->note(owned);
  reading->start();
  ASSERT_TRUE(news_.await(SourceNews::Kind::stopped));
  EXPECT_EQ(value_of(store_->sources()).at(0).code, "PROVIDER.UNAVAILABLE");
  broker_.publish("a");
  broker_.is_away = false;
  ASSERT_TRUE(broker_.await_acknowledged("1"));
  ASSERT_TRUE(news_.await(SourceNews::Kind::reads));
  EXPECT_EQ(value_of(store_->sources()).at(0).code, "");
}

}  // namespace
}  // namespace makegood
