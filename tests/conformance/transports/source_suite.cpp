#include "tests/conformance/transports/source_suite.hpp"

#include <algorithm>
#include <chrono>

#include "makegood/spi/registry.hpp"
#include "tests/support/completion_inbox.hpp"
#include "tests/support/value_of.hpp"

namespace makegood::conformance {
namespace {

using namespace std::chrono_literals;
using testing_support::CompletionInbox;
using testing_support::MessageTexts;
using Kind = SourceNews::Kind;

constexpr const char* outbox = "taken_in";
constexpr Duration patience = 60s;
const LaneFigures owned{.is_owner = true};

/// A name that nobody has used, also of those who run beside us.
std::string new_place() {
  static int count = 0;
  return "source_" + std::to_string(::getpid()) + "_" + std::to_string(++count);
}

const SourceKind& kind_of(const std::string& name) {
  static const std::shared_ptr<Transports> transports = usual_transports();
  return *transports->kind_of(name)->source();
}

}  // namespace

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SourceSuite);

void TakenIn::source(std::string_view /*outbox*/, std::string_view /*source*/, const SourceNews& news) {
  const std::scoped_lock lock(mutex_);
  counts_[news.kind] += std::max<std::size_t>(news.count, 1);
  changed_.notify_all();
}

bool TakenIn::await(SourceNews::Kind kind, std::size_t count) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, patience, [&] { return counts_[kind] >= count; });
}

void SourceSuite::SetUp() {
  if (GetParam().open == nullptr) GTEST_SKIP() << GetParam().missing;
  subject_ = GetParam().open();
  if (subject_ == nullptr) GTEST_SKIP() << GetParam().missing;
  transport_ = subject_->transport();
  place_ = new_place();
  name_ = subject_->scheme() + ":orders";
  subject_->make(place_);
  url_ = "sqlite:" + folder_.file("store.db");
  ASSERT_TRUE(open_store(url_, outbox));
  store_ = value_of(open_source_store(url_, outbox, true));
  must(store_->put(name_, "{}"));
}

void SourceSuite::publish(const MessageTexts& texts) {
  CompletionInbox inbox;
  const DestinationPtr to = subject_->destination(place_);
  const auto until = std::chrono::steady_clock::now() + patience;
  for (Ticket ticket = 1; std::chrono::steady_clock::now() < until; ++ticket) {
    std::vector<Delivery> one;
    one.push_back(
        {.message = testing_support::committed_message(texts), .destination = to, .outbox = "o", .ticket = ticket});
    transport_->send(std::move(one), inbox);
    ASSERT_TRUE(inbox.await(ticket));
    if (inbox.all().back().outcome.kind == Outcome::Kind::ok) break;
  }
  transport_->drain(inbox, 0ms);
}

void SourceSuite::publish(std::size_t first, std::size_t count) {
  for (std::size_t number = first; number < first + count; ++number) {
    publish({.event_id = "e" + std::to_string(number), .dispatch_key = "k" + std::to_string(number % 2)});
  }
}

std::unique_ptr<Source> SourceSuite::open_at(const std::string& place) const {
  const SourceKind& kind = kind_of(name_);
  return value_of(kind.open(name_, value_of(kind.check(name_, subject_->settings(place))), system_clock()));
}

Result<std::vector<Arrival>> SourceSuite::read(Source& source, std::size_t count, const std::string& next) {
  std::vector<Arrival> arrivals;
  const auto give_up_at = std::chrono::steady_clock::now() + patience;
  while (arrivals.size() < count && std::chrono::steady_clock::now() < give_up_at) {
    Polled polled = MAKEGOOD_TRY(source.poll({}, 200ms));
    if (polled.partitions) {
      const std::string& partition = polled.partitions->at(0);
      const std::string at = next.empty() ? MAKEGOOD_TRY(source.first(partition)) : next;
      MAKEGOOD_TRY(source.start({{partition, at}}));
    }
    if (!polled.gone.empty()) return Error{Errc::not_found, "gone"};
    std::ranges::move(polled.arrivals, std::back_inserter(arrivals));
  }
  return arrivals;
}

std::vector<std::string> SourceSuite::events_of(const std::vector<Arrival>& arrivals) {
  std::vector<std::string> events;
  for (const Arrival& arrival : arrivals) {
    events.push_back(value_of(message_of(arrival, {.source = "s", .topic = {}, .tenant_id = {}})).event_id);
  }
  return events;
}

std::vector<std::string> SourceSuite::events(std::size_t first, std::size_t count) {
  std::vector<std::string> events;
  for (std::size_t number = first; number < first + count; ++number) events.push_back("e" + std::to_string(number));
  return events;
}

std::unique_ptr<Consumer> SourceSuite::consumer() {
  const ConsumerOptions options{
      .outbox = outbox, .rules = {name_, {}, {}}, .backlog_max = 10'000, .limits = {.rows_max = 7}};
  auto made = std::make_unique<Consumer>(
      options, Consumer::Parts{.open_store = [this] { return open_source_store(url_, outbox); },
                               .open_source =
                                   [this] {
                                     const SourceKind& kind = kind_of(name_);
                                     return kind.open(name_, value_of(kind.check(name_, subject_->settings(place_))),
                                                      system_clock());
                                   },
                               .wake = {},
                               .observer = &news_});
  made->note(owned);
  made->start();
  return made;
}

std::vector<std::string> SourceSuite::taken_in() const {
  const auto page = value_of(value_of(open_outbox_view(url_, outbox))->list({}, {}, 1000));
  std::vector<std::string> events;
  for (const auto& message : page.messages) events.insert(events.begin(), message.event_id);
  return events;
}

TEST_P(SourceSuite, ReadsWhatIsThereInItsOrder) {
  publish(0, 20);
  const auto source = open();
  EXPECT_EQ(events_of(value_of(read(*source, 20))), events(0, 20));
}

TEST_P(SourceSuite, HandsOverWhatAMessageIs) {
  const MessageTexts texts{.event_id = "näher-1",
                           .tenant_id = "acme",
                           .topic = "order.paid",
                           .dispatch_key = "Größe 100%20",
                           .content = R"({"n":"🚚"})",
                           .headers = R"({"x-origin":"web shop"})",
                           .envelope_id = "envelope-1"};
  publish(texts);
  const auto source = open();
  const auto arrivals = value_of(read(*source, 1));
  ASSERT_EQ(arrivals.size(), 1U);
  const NewMessage message = value_of(message_of(arrivals[0], {.source = "s", .topic = {}, .tenant_id = {}}));
  EXPECT_EQ(message.event_id, texts.event_id);
  EXPECT_EQ(message.tenant_id, texts.tenant_id);
  EXPECT_EQ(message.topic, texts.topic);
  EXPECT_EQ(message.dispatch_key, texts.dispatch_key);
  EXPECT_EQ(message.payload, texts.content);
  EXPECT_EQ(message.envelope_id, texts.envelope_id);
  EXPECT_EQ(message.headers.at("x-origin"), "web shop");
}

TEST_P(SourceSuite, HandsOverEveryByteOfABody) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  publish({.event_id = "bytes", .content = bytes, .content_type = "application/octet-stream"});
  const auto source = open();
  const auto arrivals = value_of(read(*source, 1));
  ASSERT_EQ(arrivals.size(), 1U);
  const NewMessage message = value_of(message_of(arrivals[0], {.source = "s", .topic = {}, .tenant_id = {}}));
  EXPECT_EQ(message.body, bytes);
  EXPECT_EQ(message.content_type, "application/octet-stream");
}

TEST_P(SourceSuite, BeginsWhereItIsToldTo) {
  publish(0, 10);
  const auto source = open();
  const auto arrivals = value_of(read(*source, 10));
  ASSERT_EQ(arrivals.size(), 10U);
  const SourcePlace behind_fourth{arrivals[3].partition, arrivals[3].next};
  source->acknowledge({behind_fourth});
  must(source->start({behind_fourth}));
  EXPECT_EQ(events_of(value_of(read(*source, 6))), events(4, 6));
}

TEST_P(SourceSuite, HandsOverNothingWhileItIsHeld) {
  publish(0, 3);
  const auto source = open();
  ASSERT_EQ(value_of(read(*source, 3)).size(), 3U);
  source->hold(true);
  publish(3, 3);
  EXPECT_TRUE(value_of(source->poll({}, 500ms)).arrivals.empty());
  source->hold(false);
  EXPECT_EQ(events_of(value_of(read(*source, 3))), events(3, 3));
}

TEST_P(SourceSuite, WaitsForWhatIsToCome) {
  const auto source = open();
  ASSERT_TRUE(read(*source, 0));
  Polled polled = value_of(source->poll({}, 10ms));
  if (polled.partitions) {
    must(source->start({{polled.partitions->at(0), value_of(source->first(polled.partitions->at(0)))}}));
  }
  publish(0, 1);
  EXPECT_EQ(events_of(value_of(read(*source, 1))), events(0, 1));
}

TEST_P(SourceSuite, SaysThatWhatComesNextIsGone) {
  if (subject_->place_beyond().empty()) GTEST_SKIP() << "this broker has no places of its own";
  publish(0, 3);
  const auto source = open();
  const auto arrivals = read(*source, 1, subject_->place_beyond());
  ASSERT_FALSE(arrivals);
  EXPECT_EQ(arrivals.error().code, Errc::not_found);
}

TEST_P(SourceSuite, SaysThatThereIsNothingOfThatName) {
  if (!subject_->knows_what_is_missing()) GTEST_SKIP() << "what is not there yet is empty to this broker";
  const auto source = open_at("nobody_made_this");
  const auto arrivals = read(*source, 1);
  ASSERT_FALSE(arrivals);
  EXPECT_EQ(arrivals.error().code, Errc::unavailable);
  EXPECT_NE(arrivals.error().message.find("nobody_made_this"), std::string::npos) << arrivals.error().message;
}

TEST_P(SourceSuite, IsTakenInOnceAndInOrder) {
  publish(0, 30);
  const auto reading = consumer();
  ASSERT_TRUE(news_.await(Kind::taken, 30));
  EXPECT_EQ(taken_in(), events(0, 30));
}

TEST_P(SourceSuite, IsTakenInOnceWhoeverReads) {
  publish(0, 10);
  {
    const auto first = consumer();
    ASSERT_TRUE(news_.await(Kind::taken, 10));
  }
  publish(10, 10);
  const auto second = consumer();
  ASSERT_TRUE(news_.await(Kind::taken, 20));
  EXPECT_EQ(taken_in(), events(0, 20));
}

// One of them is a zombie, and does not know it.
TEST_P(SourceSuite, IsTakenInOnceByTwoWhoBothThinkTheyRead) {
  const auto one = consumer();
  const auto other = consumer();
  publish(0, 40);
  ASSERT_TRUE(news_.await(Kind::taken, 40));
  std::vector<std::string> all = taken_in();
  std::ranges::sort(all);
  std::vector<std::string> expected = events(0, 40);
  std::ranges::sort(expected);
  EXPECT_EQ(all, expected);
}

TEST_P(SourceSuite, IsTakenInOnceAndInOrderAlthoughTheBrokerIsKilled) {
  if (!subject_->can_be_killed()) GTEST_SKIP() << "others use this one";
  const auto reading = consumer();
  publish(0, 20);
  ASSERT_TRUE(news_.await(Kind::taken, 1));
  subject_->kill();
  subject_->start();
  publish(20, 20);
  ASSERT_TRUE(news_.await(Kind::taken, 40));
  EXPECT_EQ(taken_in(), events(0, 40));
}

}  // namespace makegood::conformance
