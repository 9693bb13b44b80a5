// What a store promises about sources: a batch and the place behind it are written together, once, by one reader.
#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <sqlite3.h>

#include <functional>
#include <latch>
#include <ostream>
#include <thread>

#include "makegood/spi/registry.hpp"
#include "makegood/spi/source_store.hpp"
#include "tests/support/postgres_schema.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/value_of.hpp"

namespace makegood::conformance {
namespace {

using testing_support::PostgresSchema;

/// A fresh, empty database.
class Place {
 public:
  virtual ~Place() = default;
  virtual std::string url() const = 0;
};
class SqlitePlace final : public Place {
 public:
  std::string url() const override { return "sqlite:" + folder_.file("store.db"); }

 private:
  const testing_support::TemporaryFolder folder_;
};
class PostgresPlace final : public Place {
 public:
  std::string url() const override { return schema_.url_within(); }

 private:
  const PostgresSchema schema_;
};

struct PlaceKind {
  std::string name;
  std::function<std::unique_ptr<Place>()> open;
};
std::ostream& operator<<(std::ostream& out, const PlaceKind& kind) { return out << kind.name; }

constexpr const char* outbox = "orders_in";
constexpr const char* source = "kafka:orders";

class SourceStores : public ::testing::TestWithParam<PlaceKind> {
 protected:
  void SetUp() override {
    place_ = GetParam().open();
    log_ = value_of(open_store(place_->url(), outbox));
    store_ = connect();
  }
  std::unique_ptr<SourceStore> connect() { return value_of(open_source_store(place_->url(), outbox, true)); }
  std::size_t rows() {
    return value_of(value_of(open_outbox_view(place_->url(), outbox))->list({}, {}, 1000)).messages.size();
  }
  static NewMessage message(const std::string& event_id) {
    return {.topic = "order.placed", .payload = R"({"n":1})", .event_id = event_id};
  }
  static Result<std::size_t> take(SourceStore& store, const std::string& was, const std::string& next,
                                  const std::vector<NewMessage>& messages, const std::string& partition = "orders/0") {
    const std::vector<SourceMove> moves = {{partition, was, next, static_cast<std::int64_t>(messages.size()), 7}};
    return store.take_in({.source = source, .moves = moves, .messages = messages});
  }
  Errc code_of(const Result<std::size_t>& taken) { return taken ? Errc::internal : taken.error().code; }
  std::string next_of(const std::string& partition = "orders/0") {
    for (const SourcePlaceRow& row : value_of(store_->places(source))) {
      if (row.place.partition == partition) return row.place.next;
    }
    return {};
  }

  std::unique_ptr<Place> place_;
  std::unique_ptr<OutboxStore> log_;
  std::unique_ptr<SourceStore> store_;
};

TEST_P(SourceStores, TakeInABatchWithThePlaceBehindIt) {
  EXPECT_EQ(value_of(take(*store_, "", "2", {message("a"), message("b")})), 0U);
  EXPECT_EQ(value_of(take(*store_, "2", "3", {message("c")})), 0U);
  EXPECT_EQ(rows(), 3U);
  const auto places = value_of(store_->places(source));
  ASSERT_EQ(places.size(), 1U);
  EXPECT_EQ(places[0].place, (SourcePlace{"orders/0", "3"}));
  EXPECT_EQ(places[0].taken, 3);
  EXPECT_EQ(places[0].behind, 7);
}

TEST_P(SourceStores, WriteNothingForAReaderThatRemembersAnotherPlace) {
  ASSERT_TRUE(take(*store_, "", "2", {message("a")}));
  EXPECT_EQ(code_of(take(*store_, "1", "9", {message("zombie")})), Errc::fenced);
  EXPECT_EQ(code_of(take(*store_, "", "9", {message("zombie")})), Errc::fenced);
  EXPECT_EQ(rows(), 1U);
  EXPECT_EQ(next_of(), "2");
}

TEST_P(SourceStores, WriteNothingOfABatchWhenOneOfItsPartitionsIsElsewhere) {
  ASSERT_TRUE(take(*store_, "", "2", {message("a")}, "orders/1"));
  const std::vector<SourceMove> moves = {{"orders/0", "", "5", 1, 0}, {"orders/1", "1", "6", 1, 0}};
  const std::vector<NewMessage> messages = {message("b"), message("c")};
  EXPECT_EQ(code_of(store_->take_in({.source = source, .moves = moves, .messages = messages})), Errc::fenced);
  EXPECT_EQ(rows(), 1U);
  EXPECT_EQ(next_of("orders/0"), "");
}

TEST_P(SourceStores, LeaveThePlaceWhereItIsWhenAMessageIsRefused) {
  ASSERT_TRUE(take(*store_, "", "2", {message("a")}));
  NewMessage other = message("a");
  other.payload = R"({"n":2})";
  EXPECT_EQ(code_of(take(*store_, "2", "4", {message("b"), other})), Errc::conflict);
  EXPECT_EQ(rows(), 1U);
  EXPECT_EQ(next_of(), "2");
}

TEST_P(SourceStores, CountWhatIsThereAlreadyAndGoOnBehindIt) {
  ASSERT_TRUE(take(*store_, "", "1", {message("a")}));
  EXPECT_EQ(value_of(take(*store_, "1", "3", {message("a"), message("b")})), 1U);
  EXPECT_EQ(rows(), 2U);
  EXPECT_EQ(next_of(), "3");
}

TEST_P(SourceStores, LetOneOfTwoReadersGoOnWhenBothBeginAtOnce) {
  const auto rival = connect();
  std::latch both(2);
  const auto race = [&](SourceStore& store, const std::string& event_id) {
    both.arrive_and_wait();
    return bool(take(store, "", "2", {message(event_id)}));
  };
  bool has_won = false;
  std::thread other([&] { has_won = race(*rival, "theirs"); });
  const bool have_we = race(*store_, "ours");
  other.join();
  EXPECT_NE(have_we, has_won);
  EXPECT_EQ(rows(), 1U);
}

TEST_P(SourceStores, KeepSourcesWithAVersionThatGrowsWithEachChange) {
  ASSERT_TRUE(store_->put(source, R"({"topic":"a"})"));
  ASSERT_TRUE(store_->put(source, R"({"topic":"a"})"));
  EXPECT_EQ(value_of(store_->sources()).at(0).version, 1);
  ASSERT_TRUE(store_->put(source, R"({"topic":"b"})"));
  ASSERT_TRUE(store_->pause(source, true));
  ASSERT_TRUE(store_->pause(source, true));
  const auto sources = value_of(store_->sources());
  ASSERT_EQ(sources.size(), 1U);
  EXPECT_EQ(sources[0].document, R"({"topic":"b"})");
  EXPECT_TRUE(sources[0].is_paused);
  EXPECT_EQ(sources[0].version, 3);
}

TEST_P(SourceStores, RememberWhatKeepsASourceFromReadingUntilNothingDoes) {
  ASSERT_TRUE(store_->put(source, "{}"));
  ASSERT_TRUE(store_->tell(source, "SOURCE.GONE", "why"));
  const SourceRow row = value_of(store_->sources()).at(0);
  EXPECT_EQ(row.code, "SOURCE.GONE");
  EXPECT_TRUE(row.trouble_at);
  EXPECT_EQ(row.version, 1);
  ASSERT_TRUE(store_->tell(source, "", ""));
  EXPECT_FALSE(value_of(store_->sources()).at(0).trouble_at);
}

TEST_P(SourceStores, MoveAPlaceForAnOperatorAndFenceWhoeverIsReading) {
  ASSERT_TRUE(take(*store_, "", "9", {message("a")}));
  ASSERT_TRUE(store_->set_place(source, {"orders/0", "4"}));
  EXPECT_EQ(code_of(take(*store_, "9", "10", {message("b")})), Errc::fenced);
  EXPECT_EQ(next_of(), "4");
  EXPECT_FALSE(store_->set_place(source, {"orders/8", "4"}));
}

TEST_P(SourceStores, ForgetASourceWithItsPlaces) {
  ASSERT_TRUE(store_->put(source, "{}"));
  ASSERT_TRUE(take(*store_, "", "9", {message("a")}));
  ASSERT_TRUE(store_->remove(source));
  EXPECT_TRUE(value_of(store_->sources()).empty());
  EXPECT_EQ(next_of(), "");
  EXPECT_EQ(store_->remove(source).error().code, Errc::not_found);
}

TEST_P(SourceStores, SayThatThereAreNoTablesAndHaveAScriptForThem) {
  ASSERT_TRUE(open_store(place_->url(), "other"));
  const auto without = value_of(open_source_store(place_->url(), "other"));
  EXPECT_EQ(without->sources().error().code, Errc::schema_mismatch);
  EXPECT_NE(value_of(source_migration_script(place_->url(), "other")).find("other_source_place"), std::string::npos);
}

TEST_P(SourceStores, GoWithTheTablesOfTheirOutbox) {
  ASSERT_TRUE(store_->put(source, "{}"));
  store_.reset();
  log_.reset();
  ASSERT_TRUE(migrate_down(place_->url(), outbox, true));
  log_ = value_of(open_store(place_->url(), outbox));
  EXPECT_TRUE(value_of(connect()->sources()).empty());
}

/// PostgreSQL only with a server, and a test says so.
std::vector<PlaceKind> kinds() {
  std::vector<PlaceKind> kinds = {{"sqlite", [] { return std::make_unique<SqlitePlace>(); }}};
  if (!testing_support::postgres_url().empty()) {
    kinds.push_back({"postgres", [] { return std::make_unique<PostgresPlace>(); }});
  }
  return kinds;
}
INSTANTIATE_TEST_SUITE_P(Stores, SourceStores, ::testing::ValuesIn(kinds()),
                         [](const auto& tested) { return tested.param.name; });

TEST(SourceStoresOfPostgres, AreTestedOnlyWithAServer) {
  if (testing_support::postgres_url().empty()) GTEST_SKIP() << testing_support::no_postgres;
}

}  // namespace
}  // namespace makegood::conformance
