// Sources: what is read from brokers into an outbox, up to where, and what keeps one from reading.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "api/operation.hpp"
#include "base/mistakes.hpp"
#include "base/nearest.hpp"
#include "base/sources.hpp"

namespace makegood::api {
namespace {

constexpr IntegerRange backlog_range{1, 10'000'000};
constexpr std::size_t name_bytes_max = 100;

const std::string& source_in(const RoutedCall& routed) { return routed.path.at("source"); }

/// What reads sources of this name; null: nothing does.
const SourceKind* kind_of(const Transports& transports, std::string_view name) {
  const TransportKind* const kind = transports.kind_of(name);
  return kind == nullptr ? nullptr : kind->source();
}

Schema settings_schema(std::string_view scheme) {
  std::string name(scheme);
  name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  return named_schema(name + "Source");
}

/// By the name of its scheme; what belongs to another is a mistake.
void take_settings(Fields& body, const Transports& transports, const std::string& name, SourceDocument& document) {
  const SourceKind* const own = kind_of(transports, name);
  for (const auto& kind : transports.kinds()) {
    if (kind->source() == nullptr) continue;
    const JsonValue* said = body.object(kind->scheme(), settings_schema(kind->scheme()));
    if (said == nullptr) continue;
    if (kind->source() == own) {
      document.settings = said->source;
    } else {
      body.mistake(kind->scheme(), fmt::format("is for sources {}:… only", kind->scheme()));
    }
  }
  if (own == nullptr || !document.settings.empty()) return;
  body.mistake(own->scheme(), fmt::format("is missing; it needs at least {}", own->least()));
}

SourceDocument document_in(Fields& body, const Transports& transports, const std::string& name) {
  SourceDocument document;
  body.text("name", {.says = "In the path it is enough."});
  document.topic = body.text(
      "topic", {.bytes_min = 0, .says = "Of all its messages; empty: what the message says, or else the broker's."});
  document.tenant_id = body.text(
      "tenant_id", {.bytes_min = 0, .says = "Whose they are; empty: what the message says, or else `default`."});
  document.backlog_max = static_cast<std::size_t>(
      body.integer_or("backlog_max", static_cast<std::int64_t>(document.backlog_max), backlog_range,
                      "So many messages may wait in the log before reading rests."));
  take_settings(body, transports, name, document);
  return document;
}
void describe_source_body(Fields& body) { document_in(body, *usual_transports(), {}); }

bool is_source_name(std::string_view name) { return name.size() <= name_bytes_max && is_destination_name(name); }

Result<const SourceKind*> known_kind(const Transports& transports, const std::string& name) {
  const SourceKind* const kind = kind_of(transports, name);
  if (kind != nullptr && is_source_name(name)) return kind;
  std::vector<std::string_view> schemes;
  for (const auto& one : transports.kinds()) {
    if (one->source() != nullptr) schemes.push_back(one->scheme());
  }
  return Error{Errc::invalid, fmt::format("'{}' is no name of a source; it begins with one of: {}, as in kafka:orders.",
                                          shown(name), fmt::join(schemes, ", "))};
}

/// As it is stored: complete and checked.
Result<SourceDocument> read_document(const RoutedCall& routed) {
  const Transports& transports = *routed.connections.api_context().transports;
  const SourceKind& kind = *MAKEGOOD_TRY(known_kind(transports, source_in(routed)));
  SourceDocument document = MAKEGOOD_TRY(
      read_body(routed.call, [&](Fields& body) { return document_in(body, transports, source_in(routed)); }));
  document.settings = MAKEGOOD_TRY(kind.check(source_in(routed), document.settings));
  return document;
}

struct SourceView {
  SourceRow row = {};
  SourceDocument document = {};
  std::vector<SourcePlaceRow> places = {};
};

std::string state_of(const SourceRow& row) {
  return row.is_paused ? "paused" : row.code.empty() ? "reading" : "stopped";
}

void put_place(Writer& writer, const SourcePlaceRow& row) {
  put(writer, "partition", row.place.partition);
  put(writer, "next", row.place.next, "Where reading goes on, in the words of the broker.");
  put(writer, "taken_count", row.taken, "Messages that were taken in, in all.");
  put(writer, "behind_count", row.behind, "What the broker had behind it then.");
  put(writer, "changed_at", row.changed_at);
}

std::string scheme_of(const SourceView& view) { return view.row.name.substr(0, view.row.name.find(':')); }

void put_source(Writer& writer, const SourceView& view) {
  put(writer, "name", view.row.name);
  put_one_of(writer, "state", state_of(view.row), {"reading", "paused", "stopped"});
  put_or_null(writer, "code", view.row.code, "What keeps it from reading.");
  put_or_null(writer, "because", view.row.trouble);
  put(writer, "since", view.row.trouble_at);
  put(writer, "version", view.row.version, "Grows with each change.");
  put(writer, "topic", view.document.topic);
  put(writer, "tenant_id", view.document.tenant_id);
  put(writer, "backlog_max", view.document.backlog_max);
  put_objects(writer, "places", "SourcePlace", view.places, put_place);
  const std::string_view settings = view.document.settings.empty() ? std::string_view("{}") : view.document.settings;
  if (writer.sketch == nullptr) return put_json(writer, scheme_of(view), settings);
  const auto transports = usual_transports();
  for (const auto& kind : transports->kinds()) {
    if (kind->source() == nullptr) continue;
    note(writer, kind->scheme(), settings_schema(kind->scheme()), fmt::format("Of a source {}:….", kind->scheme()),
         false);
  }
}
void put_sources(Writer& writer, const std::vector<SourceView>& views) {
  put_list(writer, "Source", views, put_source);
}

/// Without tables there are none.
Result<std::vector<SourceView>> views_of(const RoutedCall& routed) {
  std::vector<SourceView> views;
  for (SourceRow& row : MAKEGOOD_TRY(routed.connections.registered_sources(routed.outbox()))) {
    SourceStore& store = *MAKEGOOD_TRY(routed.connections.sources(routed.outbox()));
    SourceView view{.document = MAKEGOOD_TRY(decode_source(row.document)),
                    .places = MAKEGOOD_TRY(store.places(row.name))};
    view.row = std::move(row);
    views.push_back(std::move(view));
  }
  return views;
}

Result<SourceView> view_of(const RoutedCall& routed) {
  std::vector<std::string> names;
  for (SourceView& view : MAKEGOOD_TRY(views_of(routed))) {
    if (view.row.name == source_in(routed)) return std::move(view);
    names.push_back(view.row.name);
  }
  const std::string meant = nearest(source_in(routed), names);
  return Error{Errc::not_found, fmt::format("There is no source '{}' here.{}", shown(source_in(routed)),
                                            meant.empty() ? "" : fmt::format(" Is it {}?", meant))};
}

Result<Answer> list_sources(const RoutedCall& routed) { return answer_of(MAKEGOOD_TRY(views_of(routed)), put_sources); }

Result<Answer> show_source(const RoutedCall& routed) { return answer_of(MAKEGOOD_TRY(view_of(routed)), put_source); }

enum class SourceChange { none, added, changed };
std::string_view to_string(SourceChange change) {
  constexpr std::array<std::string_view, 3> words = {"none", "added", "changed"};
  return words[static_cast<std::size_t>(change)];
}

struct PutSource {
  std::string name = {};
  SourceChange change = SourceChange::none;
};
void put_source_answer(Writer& writer, const PutSource& told) {
  put(writer, "name", told.name);
  put_word(writer, "change", told.change, SourceChange::changed);
}

bool source_query(Fields& query) { return query.flag("dry_run", "Tell what would change, and change nothing."); }

Result<SourceChange> what_would_change(const RoutedCall& routed, const SourceDocument& document) {
  const auto present = view_of(routed);
  if (!present && present.error().code != Errc::not_found) return present.error();
  if (!present) return SourceChange::added;
  return present->document == document ? SourceChange::none : SourceChange::changed;
}

Result<Answer> put_source_document(const RoutedCall& routed) {
  const bool is_dry = MAKEGOOD_TRY(read_query(routed.call, source_query));
  const SourceDocument document = MAKEGOOD_TRY(read_document(routed));
  const PutSource told{source_in(routed), MAKEGOOD_TRY(what_would_change(routed, document))};
  if (!is_dry && told.change != SourceChange::none) {
    SourceStore& store = *MAKEGOOD_TRY(routed.connections.sources_to_define(routed.outbox()));
    MAKEGOOD_TRY(store.put(source_in(routed), encode(document)));
    routed.connections.sources_changed();
  }
  return answer_of(told, put_source_answer);
}

/// Whatever was done to it is told by what it is now.
Result<Answer> told_of(const RoutedCall& routed) {
  routed.connections.sources_changed();
  return show_source(routed);
}

Result<Answer> remove_source(const RoutedCall& routed) {
  const SourceView view = MAKEGOOD_TRY(view_of(routed));
  SourceStore& store = *MAKEGOOD_TRY(routed.connections.sources(routed.outbox()));
  MAKEGOOD_TRY(store.remove(view.row.name));
  routed.connections.sources_changed();
  return answer_of(view, put_source);
}

Result<Answer> set_paused(const RoutedCall& routed, bool is_paused) {
  MAKEGOOD_TRY(read_body(routed.call, nothing_more));
  const SourceView view = MAKEGOOD_TRY(view_of(routed));
  SourceStore& store = *MAKEGOOD_TRY(routed.connections.sources(routed.outbox()));
  MAKEGOOD_TRY(store.pause(view.row.name, is_paused));
  return told_of(routed);
}
Result<Answer> pause_source(const RoutedCall& routed) { return set_paused(routed, true); }
Result<Answer> resume_source(const RoutedCall& routed) { return set_paused(routed, false); }

SourcePlace move_in(Fields& body) {
  return {.partition = body.text("partition", {.is_required = true, .bytes_max = 300, .says = "As `places` has it."}),
          .next = body.text("next", {.is_required = true, .says = "Where reading goes on: of Kafka, an offset."})};
}
void describe_place(Fields& body) { move_in(body); }

Result<Answer> move_source(const RoutedCall& routed) {
  const SourcePlace place = MAKEGOOD_TRY(read_body(routed.call, move_in));
  const SourceView view = MAKEGOOD_TRY(view_of(routed));
  SourceStore& store = *MAKEGOOD_TRY(routed.connections.sources(routed.outbox()));
  MAKEGOOD_TRY(store.set_place(view.row.name, place));
  return told_of(routed);
}

constexpr std::string_view source_path = "/api/outboxes/{outbox}/sources/{source}";
constexpr Reply as_it_is = {200, "As it is now. Where secrets are is in it; the secrets are not.", "Source",
                            writes<put_source>};

constexpr auto about_sources = std::to_array<Operation>({
    shows("list_sources", "/api/outboxes/{outbox}/sources", "sources", list_sources,
          "What is read from brokers, and up to where",
          {200, "All of them; there is no second page.", "SourceList", writes<put_sources>}),
    shows("show_source", source_path, "sources", show_source, "One source with its places", as_it_is),
    {.id = "put_source",
     .method = "PUT",
     .path = source_path,
     .role = Role::operate,
     .handler = put_source_document,
     .tag = "sources",
     .summary = "Add a source, or change it",
     .description = "The document is the whole source. The first one makes the tables for sources. Where reading goes "
                    "on stays as it is.\n",
     .query = reads<source_query>,
     .body = {"SourceDocument",
              describe_source_body,
              {R"({"topic": "order.placed", "kafka": {"servers": ["kafka://127.0.0.1:9092"], "topics": ["orders"],
        "group": "billing"}})"}},
     .replies = {Reply{200, "`change` tells whether it says something else than before.", "PutSource",
                       writes<put_source_answer>}},
     .also = {409, 507}},
    {.id = "remove_source",
     .method = "DELETE",
     .path = source_path,
     .role = Role::operate,
     .handler = remove_source,
     .tag = "sources",
     .summary = "Forget a source, and up to where it was read; its messages stay",
     .replies = {as_it_is}},
    {.id = "pause_source",
     .method = "POST",
     .path = "/api/outboxes/{outbox}/sources/{source}/pause",
     .role = Role::operate,
     .handler = pause_source,
     .tag = "sources",
     .summary = "Read nothing more from it",
     .body = {"NothingMore", reads<nothing_more>, {"{}"}},
     .replies = {as_it_is}},
    {.id = "resume_source",
     .method = "POST",
     .path = "/api/outboxes/{outbox}/sources/{source}/resume",
     .role = Role::operate,
     .handler = resume_source,
     .tag = "sources",
     .summary = "Read from it again, from where it stood",
     .body = {"NothingMore", reads<nothing_more>, {"{}"}},
     .replies = {as_it_is}},
    {.id = "move_source",
     .method = "POST",
     .path = "/api/outboxes/{outbox}/sources/{source}/move",
     .role = Role::operate,
     .handler = move_source,
     .tag = "sources",
     .summary = "Say where a partition goes on",
     .description = "Behind what is lost at the broker, or back to what is to be read again: a message whose row is "
                    "still in the log is not written twice.\n",
     .body = {"SourceMove", describe_place, {R"({"partition": "orders/3", "next": "1200"})"}},
     .replies = {as_it_is}},
});

}  // namespace

Operations source_operations() { return about_sources; }

}  // namespace makegood::api
