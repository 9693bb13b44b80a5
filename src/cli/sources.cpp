// makegood sources: what is read from brokers, up to where, and changes of it.
#include "cli/sources.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "base/sources.hpp"
#include "base/transports.hpp"
#include "cli/client.hpp"
#include "cli/json_view.hpp"
#include "cli/print.hpp"
#include "cli/setting_flags.hpp"
#include "cli/url_text.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

const Transports& transports_that_read() {
  static const std::shared_ptr<Transports> transports = usual_transports();
  return *transports;
}

struct AboutSource {
  std::string name = {};
  std::string partition = {};
  std::string next = {};
};

std::string path_below(const std::string& name) { return "/sources/" + percent_encoded(name); }

std::int64_t sum_of(const Json& source, const char* name) {
  std::int64_t sum = 0;
  for (const Json& place : array_at(source, "places").GetArray()) sum += number_at(place, name);
  return sum;
}

Result<> list_all(const Program& program) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string answer = MAKEGOOD_TRY(client->get_of_outbox("/sources"));
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  const auto all = MAKEGOOD_TRY(parse_answer(answer));
  std::vector<Row> rows;
  for (const Json& one : array_at(all, "items").GetArray()) {
    rows.push_back({cell(one, "name"), cell(one, "state"), std::to_string(array_at(one, "places").Size()),
                    std::to_string(sum_of(one, "taken_count")), std::to_string(sum_of(one, "behind_count")),
                    cell(one, "code"), cell(one, "because")});
  }
  print_table({"NAME", "STATE", "PARTITIONS", "TAKEN", "BEHIND", "CODE", "BECAUSE"}, rows);
  return {};
}

Result<> print_source(const Program& program, const std::string& answer) {
  if (program.as_json) {
    fmt::print("{}\n", answer);
    return {};
  }
  const auto source = MAKEGOOD_TRY(parse_answer(answer));
  fmt::print("{}: {}\n", config::printable(text_at(source, "name")), text_at(source, "state"));
  if (const std::string because = text_at(source, "because"); !because.empty()) {
    fmt::print("{}: {}\n", text_at(source, "code"), config::printable(because));
  }
  const TimePoint now = system_clock().now();
  std::vector<Row> rows;
  for (const Json& place : array_at(source, "places").GetArray()) {
    rows.push_back({cell(place, "partition"), cell(place, "next"), cell(place, "taken_count"),
                    cell(place, "behind_count"), ago_cell(place, "changed_at", now)});
  }
  print_table({"PARTITION", "NEXT", "TAKEN", "BEHIND", "CHANGED"}, rows);
  return {};
}

Result<> show_one(const Program& program, const AboutSource& about) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  return print_source(program, MAKEGOOD_TRY(client->get_of_outbox(path_below(about.name))));
}

Result<> send_about(const Program& program, const AboutSource& about, const std::string& method,
                    const std::string& verb, const std::string& body) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  return print_source(program, MAKEGOOD_TRY(client->send_to_outbox(method, path_below(about.name) + verb, body)));
}

Result<> move_one(const Program& program, const AboutSource& about) {
  const std::string body = body_of([&](api::Writer& writer) {
    api::put(writer, "partition", std::string_view(about.partition));
    api::put(writer, "next", std::string_view(about.next));
  });
  return send_about(program, about, "POST", "/move", body);
}

Result<> add_one(const Program& program, const NewSource& source) {
  const std::string body = MAKEGOOD_TRY(source_json(source));
  const auto client = MAKEGOOD_TRY(Client::open(program));
  const std::string answer = MAKEGOOD_TRY(client->send_to_outbox("PUT", path_below(source.name), body));
  const std::string line = source_line(answer);
  fmt::print("{}\n", program.as_json ? answer : line.empty() ? "No change: it is registered so already." : line);
  return {};
}

using About = std::shared_ptr<AboutSource>;

About add_verb(CLI::App& sources, Program& program, const std::string& name, const std::string& description,
               CLI::App*& verb) {
  verb = sources.add_subcommand(name, description);
  add_call_flags(*verb, program);
  auto about = std::make_shared<AboutSource>();
  verb->add_option("name", about->name, "The source, as 'sources list' has it")->required()->type_name("NAME");
  return about;
}

void add_changes(CLI::App& sources, Program& program) {
  CLI::App* verb = nullptr;
  const About paused = add_verb(sources, program, "pause", "Read nothing more from a source", verb);
  run(*verb, program, [&program, paused] { return send_about(program, *paused, "POST", "/pause", "{}"); });
  const About resumed = add_verb(sources, program, "resume", "Read from a paused source again", verb);
  run(*verb, program, [&program, resumed] { return send_about(program, *resumed, "POST", "/resume", "{}"); });
  const About removed =
      add_verb(sources, program, "remove", "Forget a source, and up to where it was read; its messages stay", verb);
  run(*verb, program, [&program, removed] { return send_about(program, *removed, "DELETE", {}, {}); });
  const About moved = add_verb(sources, program, "move", "Say where a partition of a source goes on", verb);
  verb->add_option("partition", moved->partition, "As 'sources show' has it, as in orders/3")
      ->required()
      ->type_name("PARTITION");
  verb->add_option("next", moved->next, "Where reading goes on: of Kafka, an offset")->required()->type_name("PLACE");
  verb->footer("A message whose row is still in the log is not written twice.");
  run(*verb, program, [&program, moved] { return move_one(program, *moved); });
}

void add_sources_add(CLI::App& sources, Program& program) {
  CLI::App& verb = *sources.add_subcommand("add", "Add a source, or say anew what it is");
  add_call_flags(verb, program);
  const auto source = std::make_shared<NewSource>();
  verb.add_option("name", source->name, "Its name, as in kafka:orders")->required()->type_name("NAME");
  add_source_flags(verb, *source);
  run(verb, program, [&program, source] { return add_one(program, *source); });
}

}  // namespace

void add_source_flags(CLI::App& verb, NewSource& source) {
  for (const auto& kind : transports_that_read().kinds()) {
    if (kind->source() == nullptr) continue;
    for (const SettingFlag& setting : kind->source()->flags()) {
      const auto [said, is_new] = source.settings.try_emplace(setting.flag);
      if (is_new) add_setting(verb, setting, said->second);
    }
  }
  verb.add_option("--as-topic", source.topic, "The topic of all its messages; else what they say")->type_name("TOPIC");
  verb.add_option("--tenant", source.tenant, "Whose its messages are; else what they say")->type_name("TENANT");
  verb.add_option("--backlog-max", source.backlog, "Reading rests while so many messages wait, default 10000")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
}

Result<std::string> source_json(const NewSource& source) {
  const TransportKind* const transport = transports_that_read().kind_of(source.name);
  const SourceKind* const kind = transport == nullptr ? nullptr : transport->source();
  std::optional<Error> mistake;
  const auto put_settings = [&](api::Writer& writer) {
    for (const SettingFlag& setting : kind->flags()) {
      const auto& said = source.settings.at(setting.flag);
      if (said.empty() || mistake) continue;
      if (Result<> put = put_setting(writer, setting, said); !put) mistake = std::move(put).error();
    }
  };
  std::string document = body_of([&](api::Writer& writer) {
    api::put(writer, "name", std::string_view(source.name));
    put_if(writer, "topic", source.topic);
    put_if(writer, "tenant_id", source.tenant);
    if (!source.backlog.empty()) api::put_json(writer, "backlog_max", source.backlog);
    if (kind != nullptr) api::put_json(writer, kind->scheme(), body_of(put_settings));
  });
  if (mistake) return *std::move(mistake);
  return document;
}

void add_sources(CLI::App& app, Program& program) {
  CLI::App& verb =
      *app.add_subcommand("sources", "List, add, pause, resume, move and remove what is read from brokers");
  verb.require_subcommand(1);
  CLI::App& list = *verb.add_subcommand("list", "List sources, and how far each is");
  add_call_flags(list, program);
  list.footer("TAKEN and BEHIND are sums over the partitions; 'sources show' has each of them.");
  run(list, program, [&program] { return list_all(program); });
  CLI::App* show = nullptr;
  const About shown = add_verb(verb, program, "show", "Show a source with its partitions", show);
  run(*show, program, [&program, shown] { return show_one(program, *shown); });
  add_sources_add(verb, program);
  add_changes(verb, program);
}

}  // namespace makegood::cli
