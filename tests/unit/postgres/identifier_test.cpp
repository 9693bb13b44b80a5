#include "stores/postgres/identifier.hpp"

#include "stores/postgres/migrations.hpp"
#include "tests/unit/postgres/database.hpp"

namespace makegood::postgres {
namespace {

std::string qualified(std::string_view text) { return value_of(Identifier::from(text)).qualified("_turn"); }
bool is_refused(const std::string& text) { return !Identifier::from(text); }

TEST(Identifier, IsReadAsSqlReadsIt) {
  EXPECT_EQ(qualified("makegood_outbox"), R"("makegood_outbox_turn")");
  EXPECT_EQ(qualified("Orders.Outbox"), R"("orders"."outbox_turn")");
  EXPECT_EQ(qualified(R"("Orders"."Out""box")"), R"("Orders"."Out""box_turn")");
  EXPECT_EQ(qualified(R"("my.schema".outbox)"), R"("my.schema"."outbox_turn")");
}

TEST(Identifier, NeedsNoQuotesWhereSqlWouldNeedThem) {
  EXPECT_EQ(qualified("order"), R"("order_turn")");
  EXPECT_EQ(qualified("select.from"), R"("select"."from_turn")");
  EXPECT_EQ(qualified("bestell-größe 🚚"), R"("bestell-größe 🚚_turn")");
  EXPECT_EQ(qualified("it's; DROP TABLE x --"), R"("it's; drop table x --_turn")");
}

TEST(Identifier, RefusesWhatIsNotOneNameOrTwo) {
  for (const std::string text :
       {"", ".", "a.", ".a", "a..b", "a.b.c", "\"a", "a\"", "\"a\"b", "\"\"", "a.\"\"", "a\"b\".c"}) {
    EXPECT_TRUE(is_refused(text)) << text;
  }
  EXPECT_TRUE(is_refused(std::string("a\0b", 3)));
  EXPECT_TRUE(is_refused("a\nb"));
}

TEST(Identifier, RefusesWhatPostgresWouldCutOff) {  // And then two outboxes could be one.
  EXPECT_FALSE(is_refused(std::string(46, 'x')));
  EXPECT_TRUE(is_refused(std::string(47, 'x')));
  EXPECT_FALSE(is_refused(std::string(63, 's') + ".x"));
  EXPECT_TRUE(is_refused(std::string(64, 's') + ".x"));
  EXPECT_TRUE(is_refused("\"" + std::string(24, 'x') + "ääääääääääää\"")) << "bytes count, not characters";
}

TEST(Identifier, FillsInEachKindOfName) {
  const Identifier outbox = value_of(Identifier::from(R"(s.o'x)"));
  EXPECT_EQ(outbox.into("{outbox} {outbox}_turn x {name}_index {schema}makegood_store {text}! {regclass}::oid"),
            R"("s"."o'x" "s"."o'x_turn" x "o'x_index" "s"."makegood_store" 'o''x'! '"s"."o''x"'::regclass::oid)");
  EXPECT_EQ(value_of(Identifier::from("o")).into("{outbox}_turn {schema}makegood_store"),
            R"("o_turn" "makegood_store")");
}

/// Each is migrated, written to by the application's own quoting, and read; and again with what other tools get.
class IdentifierCorpus : public PostgresTest {
 protected:
  void TearDown() override {
    if (IsSkipped()) return;
    for (const std::string& role : roles_)
      app().run("DROP OWNED BY " + postgres::quoted(role) + "; DROP ROLE " + postgres::quoted(role));
  }
  void make_roles() {
    roles_ = {schema().name() + R"( 'the' "shop" %relay% {outbox})", schema().name() + R"( %producer% \relay)"};
    for (const std::string& role : roles_) app().run("CREATE ROLE " + postgres::quoted(role));
  }

  void carry_messages(const std::string& outbox) {
    const auto store = value_of(open_store(url(), outbox));
    must(store->migrate());
    const NewMessage message = a_message("m1").with_key("k");
    value_of(store->enqueue({&message, 1}));
    insert(app(), value_of(Identifier::from(outbox)).qualified(), "m2");
    EXPECT_EQ(
        app().run(
            "SELECT was_there FROM makegood.enqueue('orders.placed', '\"m3\"', event_id => 'e', outbox => $name$" +
            value_of(Identifier::from(outbox)).qualified() + "$name$)"),
        "f");
    const auto taken = value_of(store->take("a", lease, {}));
    ASSERT_TRUE(taken);
    EXPECT_EQ(names(value_of(store->look(all_beyond(0))).rows), Names({"m1", "m2", "m3"}));
    EXPECT_TRUE(store->commit({.owner = "a", .after = taken->turn, .lease = lease, .position = {.reached = 3}}));
    EXPECT_EQ(value_of(missing_parts(url(), outbox)), Names());
    must(migrate_down(url(), outbox, true));
  }
  void run_what_is_exported(const std::string& outbox) {
    const auto texts = value_of(migration_texts(outbox));
    for (const MigrationText& text : texts) app().run(text.up);
    EXPECT_EQ(value_of(missing_parts(url(), outbox)), Names());
    app().run(value_of(grants_script(outbox, roles_.at(0), roles_.at(1))));
    const std::string log = value_of(Identifier::from(outbox)).qualified();
    const PostgresClient producer(url());
    producer.run("SET ROLE " + postgres::quoted(roles_.at(0)));
    insert(producer, log, "m1");
    EXPECT_EQ(producer.state_of("DELETE FROM " + log), "42501");
    for (auto text = texts.rbegin(); text != texts.rend(); ++text) app().run(text->down);
  }

 private:
  Names roles_;
};

TEST_F(IdentifierCorpus, EveryNameWorksFromMigrationToTurn) {
  make_roles();
  const Names corpus = {R"("Mixed Case")",
                        R"("quo""te")",
                        "'single'",
                        R"("dot.ted")",
                        "order",
                        "größe-🚚",
                        "semi;colon --",
                        R"(back\slash)",
                        "{outbox}",
                        "$1",
                        "percent%s",
                        "%relay%",
                        "_",
                        "0digit",
                        "\"select\"",
                        "tab{name}_x",
                        std::string(46, 'n'),
                        "\"" + std::string(23, 'x') + "ääääääääääö\""};
  for (const std::string& name : corpus) {
    SCOPED_TRACE(name);
    carry_messages(schema().name() + "." + name);
    run_what_is_exported(schema().name() + "." + name);
  }
}

TEST_F(IdentifierCorpus, EverySchemaDoes) {
  make_roles();
  for (const std::string ending :
       {R"(Sch""ema.x)", "it's", R"(back\slash)", "{outbox}", "{schema}", "%producer%", "größe-🚚"}) {
    SCOPED_TRACE(ending);
    const std::string place = "\"" + schema().name() + " " + ending + "\"";
    carry_messages(place + ".outbox");
    run_what_is_exported(place + ".outbox");
    app().run("DROP SCHEMA " + place + " CASCADE");
  }
}

}  // namespace
}  // namespace makegood::postgres
