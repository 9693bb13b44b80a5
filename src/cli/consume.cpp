// makegood consume: from a broker to an endpoint, with nothing to configure before.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/client.hpp"
#include "cli/print.hpp"
#include "cli/serve.hpp"
#include "cli/sources.hpp"
#include "cli/verbs.hpp"

namespace makegood::cli {
namespace {

struct ConsumeFlags {
  NewSource source = {};
  std::string to = {};
  std::string outbox = {};
  std::string listen = "127.0.0.1:0";
};

bool is_letter_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

/// `kafka:Orders.eu` → `kafka_orders_eu`: a log of its own.
std::string outbox_for(const std::string& source) {
  std::string name = source;
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  std::ranges::replace_if(name, [](char c) { return !is_letter_or_digit(c); }, '_');
  return name;
}

std::string destination_for(const ConsumeFlags& flags) {
  return "http:" + flags.source.name.substr(flags.source.name.find(':') + 1);
}

std::string destinations_json(const ConsumeFlags& flags) {
  const std::string http = body_of([&](api::Writer& writer) { api::put(writer, "url", std::string_view(flags.to)); });
  return "[" + body_of([&](api::Writer& writer) {
           api::put(writer, "name", std::string_view(destination_for(flags)));
           api::put_json(writer, "http", http);
         }) +
         "]";
}

std::string routes_json(const ConsumeFlags& flags) {
  return "[" + body_of([&](api::Writer& writer) {
           api::put(writer, "pattern", std::string_view("*"));
           api::put(writer, "destination", std::string_view(destination_for(flags)));
         }) +
         "]";
}

Result<> consume(Program& program, const ConsumeFlags& flags) {
  const std::string outbox = flags.outbox.empty() ? outbox_for(flags.source.name) : flags.outbox;
  WantedOutbox wanted{.outbox = outbox, .files = {"consume"}};
  wanted.sources = "[" + MAKEGOOD_TRY(source_json(flags.source)) + "]";
  if (!flags.to.empty()) {
    wanted.destinations = destinations_json(flags);
    wanted.routes = routes_json(flags);
  }
  program.outboxes = {outbox};
  const Wanted all{.outboxes = {wanted}};
  const auto apply = [all](const std::string& only_outbox, const daemon::HandleCall& handle) {
    return apply_wanted(all, only_outbox, handle);
  };
  return serve_with(program, flags.listen, apply, true);
}

}  // namespace

void add_consume(CLI::App& app, Program& program) {
  CLI::App& verb = *app.add_subcommand("consume", "Take in what a broker has, and deliver each message once in effect");
  add_store_flags(verb, program);
  const auto flags = std::make_shared<ConsumeFlags>();
  verb.add_option("--from", flags->source.name, "The source, as in kafka:orders")->required()->type_name("NAME");
  add_source_flags(verb, flags->source);
  verb.add_option("--to", flags->to, "An endpoint that gets every message; else what is routed")->type_name("URL");
  verb.add_option("--outbox", flags->outbox, "The log that takes it in, default made of the source's name")
      ->type_name("NAME");
  verb.add_option("--listen", flags->listen, "The address of REST, default 127.0.0.1 with a port that is free")
      ->type_name("ADDRESS");
  verb.footer(
      "It runs until a signal ends it, as serve does. Source and destination are registered in the store: serve\n"
      "with the same outbox goes on with them.");
  run(verb, program, [&program, flags] { return consume(program, *flags); });
}

}  // namespace makegood::cli
