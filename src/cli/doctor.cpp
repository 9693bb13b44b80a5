// makegood doctor: the common mistakes, and how to mend each.
#include "cli/doctor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "cli/client.hpp"
#include "cli/json_view.hpp"
#include "cli/print.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

using enum Diagnosis::State;

std::string_view state_text(Diagnosis::State state) {
  switch (state) {
    case good:
      return "ok";
    case warning:
      return "warning";
    case wrong:
      return "wrong";
  }
  std::unreachable();
}

void append(Diagnoses& all, Diagnoses more) { std::ranges::move(more, std::back_inserter(all)); }

Diagnosis examine_sqlite(const Program& program) {
  if (program.sqlite_warning.empty()) return {good, "SQLite", "Version " + program.sqlite_version + "."};
  return {warning, "SQLite", program.sqlite_warning, "Link a newer SQLite; until then keep backups."};
}

Diagnoses examine_place(const Program& program, const config::StoreConfig& store) {
  constexpr std::string_view sqlite_scheme = "sqlite:";
  if (is_postgres(store.url)) return examine_postgres(store);
  Diagnoses all = {examine_sqlite(program)};
  if (store.url.starts_with(sqlite_scheme)) {
    append(all, examine_files(store.url.substr(sqlite_scheme.size()), store));
  }
  return all;
}

Result<Diagnoses> examine_store(const Program& program) {
  const config::Config config = MAKEGOOD_TRY(load_config(program));
  Diagnoses all = examine_place(program, config.store);
  const bool is_missing = all.back().state == wrong && (all.back().check == "file" || all.back().check == "server");
  if (is_missing) return all;
  for (const std::string& outbox : config.store.outboxes) {
    append(all, examine_outbox(config.store.url, outbox, system_clock().now()));
  }
  append(all, examine_sagas(config.store.url));
  return all;
}

/// The files are on the server's machine; what can be seen from here is its status.
Result<Diagnoses> examine_server(const Program& program) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string answer = MAKEGOOD_TRY(client->get("/api/status"));
  const auto status = MAKEGOOD_TRY(parse_answer(answer));
  Diagnoses all = {{good, "server", "It answers; its version is " + text_at(status, "version") + "."}};
  for (const Json& trouble : array_at(status, "troubles").GetArray()) {
    const bool is_critical = text_at(trouble, "severity") == "critical";
    const std::string outbox = text_at(trouble, "outbox");
    all.push_back({is_critical ? wrong : warning, outbox.empty() ? "sagas" : outbox, text_at(trouble, "what"),
                   text_at(trouble, "advice")});
  }
  all.push_back({good, "files", "Not seen from here: run this on the server's machine, with --store."});
  return all;
}

void print_json(const Diagnoses& all, bool is_ok) {
  fmt::print("{}\n", body_of([&](api::Writer& writer) {
               api::put(writer, "is_ok", is_ok);
               api::put_array(writer, "diagnoses", all, [](api::Writer& to, const Diagnosis& one) {
                 to.StartObject();
                 api::put(to, "state", state_text(one.state));
                 api::put(to, "check", std::string_view(one.check));
                 api::put(to, "what", std::string_view(one.what));
                 api::put_or_null(to, "mend", one.mend);
                 to.EndObject();
               });
             }));
}

void print_diagnoses(const Diagnoses& all) {
  for (const Diagnosis& one : all) {
    fmt::print("{:<7}  {}: {}\n", state_text(one.state), config::printable(one.check), config::printable(one.what));
    if (one.state != good) fmt::print("         → {}\n", config::printable(one.mend));
  }
}

Result<> examine(Program& program) {
  const Diagnoses all =
      names_server(program) ? MAKEGOOD_TRY(examine_server(program)) : MAKEGOOD_TRY(examine_store(program));
  const bool is_ok = std::ranges::none_of(all, [](const Diagnosis& one) { return one.state == wrong; });
  program.as_json ? print_json(all, is_ok) : print_diagnoses(all);
  if (!is_ok) program.exit = Exit::failed;
  return {};
}

}  // namespace

void add_doctor(CLI::App& app, Program& program) {
  CLI::App& verb = *app.add_subcommand("doctor", "Find common mistakes, and say how to mend each");
  add_call_flags(verb, program);
  verb.footer(
      "SQLite: its version, files and permissions, room on the disk. PostgreSQL: its version and settings, rights,\n"
      "migrations, prepared transactions. Both: copies, tables, owner, routes, clocks, sagas.\n"
      "Exit code 1 when something is wrong; a warning alone is 0.");
  run(verb, program, [&program] { return examine(program); });
}

}  // namespace makegood::cli
