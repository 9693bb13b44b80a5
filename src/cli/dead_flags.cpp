#include "cli/dead_flags.hpp"

#include "cli/age.hpp"
#include "cli/client.hpp"
#include "makegood/clock.hpp"

namespace makegood::cli {

void add_dead_flags(CLI::App& verb, DeadFlags& flags) {
  verb.add_option("--topic", flags.topic, "Only topics of this pattern, as in order.*")->type_name("PATTERN");
  verb.add_option("--destination", flags.destination, "Only this destination; - for messages without a route")
      ->type_name("NAME");
  verb.add_option("--code", flags.code, "Only this error code, as in TX.TIMEOUT")->type_name("CODE");
  verb.add_option("--tenant", flags.tenant, "Only this tenant")->type_name("TENANT");
  verb.add_option("--from", flags.from, "Died at this moment or later; a time, or how long ago: 2h")->type_name("TIME");
  verb.add_option("--until", flags.until, "Died before this moment")->type_name("TIME");
}

void add_dead_state_flag(CLI::App& verb, DeadFlags& flags) {
  verb.add_option("--state", flags.state, "dead or quarantined; default: both")
      ->type_name("STATE")
      ->check(CLI::IsMember({"dead", "quarantined"}).description(""));
}

Result<Query> query_of(const DeadFlags& flags) {
  const TimePoint now = system_clock().now();
  Query query;
  query.add("tenant", flags.tenant).add("topic", flags.topic).add("destination", flags.destination);
  query.add("code", flags.code)
      .add("state", flags.state)
      .add("from", MAKEGOOD_TRY(moment_argument(flags.from, now)))
      .add("until", MAKEGOOD_TRY(moment_argument(flags.until, now)));
  return query;
}

Result<std::string> filter_json(const DeadFlags& flags) {
  const TimePoint now = system_clock().now();
  const std::string from = MAKEGOOD_TRY(moment_argument(flags.from, now));
  const std::string until = MAKEGOOD_TRY(moment_argument(flags.until, now));
  return body_of([&](api::Writer& writer) {
    put_if(writer, "tenant", flags.tenant);
    put_if(writer, "topic", flags.topic);
    put_if(writer, "destination", flags.destination);
    put_if(writer, "code", flags.code);
    put_if(writer, "from", from);
    put_if(writer, "until", until);
  });
}

bool is_empty(const DeadFlags& flags) {
  return (flags.tenant + flags.topic + flags.destination + flags.code + flags.from + flags.until).empty();
}

}  // namespace makegood::cli
