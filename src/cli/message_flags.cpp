#include "cli/message_flags.hpp"

#include "cli/age.hpp"
#include "makegood/clock.hpp"

namespace makegood::cli {

void add_topic_flags(CLI::App& verb, MessageFlags& flags) {
  verb.add_option("--topic", flags.topic, "Only topics of this pattern, as in order.*")->type_name("PATTERN");
  verb.add_option("--tenant", flags.tenant, "Only this tenant")->type_name("TENANT");
}

void add_message_flags(CLI::App& verb, MessageFlags& flags) {
  add_topic_flags(verb, flags);
  verb.add_option("--key", flags.key, "Only this dispatch key")->type_name("KEY");
  verb.add_option("--event-id", flags.event_id, "Only this event")->type_name("ID");
  verb.add_option("--state", flags.state, "pending, leased, done, dead or quarantined")
      ->type_name("STATE")
      ->check(CLI::IsMember({"pending", "leased", "done", "dead", "quarantined"}).description(""));
  verb.add_option("--from", flags.from, "Created at this moment or later; a time, or how long ago: 2h")
      ->type_name("TIME");
  verb.add_option("--until", flags.until, "Created before this moment")->type_name("TIME");
}

Result<Query> query_of(const MessageFlags& flags) {
  const TimePoint now = system_clock().now();
  Query query;
  query.add("tenant", flags.tenant).add("topic", flags.topic).add("key", flags.key).add("event_id", flags.event_id);
  query.add("state", flags.state)
      .add("from", MAKEGOOD_TRY(moment_argument(flags.from, now)))
      .add("until", MAKEGOOD_TRY(moment_argument(flags.until, now)));
  return query;
}

}  // namespace makegood::cli
