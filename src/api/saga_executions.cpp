// Executions of sagas: lists, one with its steps, its journal, figures, and those that have failed.
#include <fmt/format.h>

#include <array>

#include "api/operation.hpp"
#include "api/paging.hpp"
#include "api/saga_reading.hpp"
#include "api/saga_view_json.hpp"

namespace makegood::api {
namespace {

/// Rows that a page looks at; one that found little has a next page all the same.
constexpr std::size_t sagas_looked_max = 10'000;

constexpr auto saga_state_words =
    std::to_array<std::string_view>({"pending", "running", "waiting", "paused", "manual", "compensating", "completed",
                                     "compensated", "failed", "cancelled"});

SagaFilter saga_filter(Fields& query) {
  constexpr std::string_view only_definition = "Only executions of this one; also as `chainName`.";
  SagaFilter filter{.tenant_id = query.text("tenant", tenant_rule),
                    .definition = query.text("definition", {.says = only_definition}),
                    .id_prefix = query.text("id", {.says = "Only ids that begin so."})};
  if (const std::string name = query.text("chainName"); !name.empty()) filter.definition = name;
  filter.started_from = query.time("from", "When it began, this moment included.");
  filter.started_before = query.time("until", "This moment not included.");
  return filter;
}

struct SagaQuery {
  SagaFilter filter;
  Sequence before;
  std::size_t limit;
};
SagaQuery saga_query(Fields& query) {
  SagaQuery wanted{saga_filter(query), 0, 0};
  if (const auto chosen = query.choice("state", saga_state_words)) {
    wanted.filter.states = {static_cast<SagaState>(*chosen)};
  }
  wanted.before = number_cursor(query).value_or(0);
  wanted.limit = limit_of(query);
  return wanted;
}
SagaQuery dead_saga_query(Fields& query) {
  SagaQuery wanted{saga_filter(query), 0, 0};
  wanted.filter.states = {SagaState::failed};
  wanted.before = number_cursor(query).value_or(0);
  wanted.limit = limit_of(query);
  return wanted;
}

std::string next_of(const SagaPage& page) { return page.next == 0 ? std::string() : fmt::format("{}", page.next); }

void put_sagas(Writer& writer, const SagaPage& page) {
  put_page(writer, "SagaSummary", page.items, next_of(page), put_saga_summary);
  put_purged(writer, page.purged_count, page.purged_before);
}

void put_dead_saga(Writer& writer, const SagaSummary& summary) {
  put_one_of(writer, "kind", "saga", {"saga"});
  put_saga_summary(writer, summary);
}
void put_dead_sagas(Writer& writer, const SagaPage& page) {
  put_page(writer, "DeadSaga", page.items, next_of(page), put_dead_saga);
}

Result<SagaPage> page_of(const RoutedCall& routed, const SagaQuery& wanted) {
  SagaView& sagas = *MAKEGOOD_TRY(routed.connections.sagas());
  return sagas.list(wanted.filter, wanted.before, wanted.limit, sagas_looked_max);
}

Result<Answer> list_sagas(const RoutedCall& routed) {
  const SagaQuery wanted = MAKEGOOD_TRY(read_query(routed.call, saga_query));
  return answer_of(MAKEGOOD_TRY(page_of(routed, wanted)), put_sagas);
}

Result<Answer> list_dead_sagas(const RoutedCall& routed) {
  const SagaQuery wanted = MAKEGOOD_TRY(read_query(routed.call, dead_saga_query));
  return answer_of(MAKEGOOD_TRY(page_of(routed, wanted)), put_dead_sagas);
}

Result<Answer> show_saga(const RoutedCall& routed) {
  SagaExecutionView view = MAKEGOOD_TRY(routed_saga(routed));
  view.is_hidden = !routed.call.sees_contents;
  return answer_of(view, put_execution);
}

struct JournalQuery {
  std::string tenant_id;
  std::size_t after;
  std::size_t limit;
};
JournalQuery journal_query(Fields& query) {
  return {saga_tenant(query), static_cast<std::size_t>(number_cursor(query).value_or(0)), limit_of(query)};
}

struct JournalPage {
  std::vector<JournalEntry> entries = {};
  std::string next = {};
  bool is_hidden = false;
};
void put_journal(Writer& writer, const JournalPage& page) {
  put_page(writer, "SagaRecord", page.entries, page.next,
           [&](Writer& to, const JournalEntry& entry) { put_record(to, entry, page.is_hidden); });
}

Result<Answer> show_journal(const RoutedCall& routed) {
  const JournalQuery wanted = MAKEGOOD_TRY(read_query(routed.call, journal_query));
  SagaView& sagas = *MAKEGOOD_TRY(routed.connections.sagas());
  const Sequence number = MAKEGOOD_TRY(find_saga(sagas, wanted.tenant_id, saga_id(routed)));
  const auto loaded = MAKEGOOD_TRY(sagas.load(number));
  if (!loaded) return Error{Errc::not_found, "The execution is kept no longer."};
  auto entries = MAKEGOOD_TRY(journal_of(*loaded));
  const auto begin = std::min(wanted.after, entries.size());
  const auto end = std::min(begin + wanted.limit, entries.size());
  JournalPage page{.is_hidden = !routed.call.sees_contents};
  for (std::size_t index = begin; index < end; ++index) page.entries.push_back(std::move(entries[index]));
  if (end < entries.size()) page.next = fmt::format("{}", end);
  return answer_of(page, put_journal);
}

void put_saga_counts(Writer& writer, const std::vector<SagaCounts>& counts) {
  put_list(writer, "SagaCount", counts, put_saga_count);
}

Result<Answer> count_sagas_now(const RoutedCall& routed) {
  SagaView& sagas = *MAKEGOOD_TRY(routed.connections.sagas());
  return answer_of(MAKEGOOD_TRY(sagas.counts()), put_saga_counts);
}

constexpr auto about_executions = std::to_array<Operation>({
    shows("list_executions", "/api/saga/executions", "sagas", list_sagas, "Executions, the newest first",
          {200, "A page; it may be short and have a next one.", "SagaList", writes<put_sagas>}, reads<saga_query>),
    {.id = "show_execution",
     .method = "GET",
     .path = "/api/saga/executions/{execution}",
     .handler = show_saga,
     .tag = "sagas",
     .summary = "One execution: its steps, their attempts, what was undone, what is open and what to do",
     .query = reads<saga_tenant>,
     .replies = {Reply{200, "As its journal tells at this moment.", "SagaExecution", writes<put_execution>}},
     .also = {409}},
    {.id = "show_journal",
     .method = "GET",
     .path = "/api/saga/executions/{execution}/journal",
     .handler = show_journal,
     .tag = "sagas",
     .summary = "Everything that happened to an execution and was decided about it, the oldest first",
     .query = reads<journal_query>,
     .replies = {Reply{200, "A page.", "SagaJournal", writes<put_journal>}},
     .also = {409}},
    shows("count_executions", "/api/saga/counts", "sagas", count_sagas_now,
          "How many executions run, wait, need somebody or have not ended well, by definition",
          {200, "All of them; there is no second page.", "SagaCountList", writes<put_saga_counts>}),
    shows("list_dead_executions", "/api/saga/dead", "dead", list_dead_sagas,
          "Failed executions: something is open that nobody could undo",
          {200, "A page; it may be short and have a next one.", "DeadSagaList", writes<put_dead_sagas>},
          reads<dead_saga_query>),
});

}  // namespace

std::string saga_tenant(Fields& query) {
  return query.text("tenant", {.says = "Whose execution it is; needed where several tenants have one with this id."});
}

const std::string& saga_id(const RoutedCall& routed) { return routed.path.at("execution"); }

Result<SagaExecutionView> routed_saga(const RoutedCall& routed) {
  const std::string tenant_id = MAKEGOOD_TRY(read_query(routed.call, saga_tenant));
  SagaView& sagas = *MAKEGOOD_TRY(routed.connections.sagas());
  const Sequence number = MAKEGOOD_TRY(find_saga(sagas, tenant_id, saga_id(routed)));
  return read_saga(sagas, number);
}

Operations saga_operations() { return about_executions; }

}  // namespace makegood::api
