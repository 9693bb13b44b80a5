// makegood apply: destinations, routes, sources and sagas made what the files say, with the difference shown first.
#include "cli/apply.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/asking.hpp"
#include "cli/client.hpp"
#include "cli/json_view.hpp"
#include "cli/url_text.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

constexpr int last_good_status = 299;

struct ApplyFlags {
  std::vector<std::string> paths = {};
  ApplyManner manner = {};
  bool is_sure = false;
};

std::string_view sign_of(const std::string& kind) { return kind == "add" ? "+" : kind == "remove" ? "-" : "~"; }

/// `retry.attempts_max: 12 → 20`; of what is added, only what it will be.
std::string field_line(const Json& field, bool is_change) {
  const std::string to = json_of(field["to"]);
  const std::string value = is_change ? fmt::format("{} → {}", json_of(field["from"]), to) : to;
  return config::printable(fmt::format("    {}: {}", text_at(field, "name"), value));
}

Error in_files(Error error, const WantedOutbox& wanted) {
  error.message = fmt::format("{}: {}", fmt::join(wanted.files, ", "), error.message);
  return error;
}

/// Where it goes: the outbox that a file names, or the one of the flags.
class Applier {
 public:
  Applier(Program& program, const ApplyFlags& flags, Client& client)
      : program_(program), flags_(flags), client_(client) {}

  Result<> apply(const WantedOutbox& wanted) {
    const std::string outbox = wanted.outbox.empty() ? MAKEGOOD_TRY(client_.outbox()) : wanted.outbox;
    MAKEGOOD_TRY(apply_routing(wanted, outbox));
    return apply_sources(wanted, outbox);
  }

  /// All of them are looked at before the first is put: one that is refused leaves the others as they were.
  Result<> apply(const std::vector<WantedSaga>& sagas) {
    std::vector<const WantedSaga*> changed;
    for (const WantedSaga& saga : sagas) {
      const std::string answer = MAKEGOOD_TRY(put(saga, true));
      const std::string line = saga_line(answer);
      if (!line.empty()) changed.push_back(&saga);
      if (!program_.as_json && !line.empty()) fmt::print("{}\n", line);
      if (program_.as_json && (flags_.manner.is_dry || line.empty())) fmt::print("{}\n", answer);
    }
    if (!program_.as_json && changed.empty() && !sagas.empty()) fmt::print("sagas: nothing to change\n");
    if (flags_.manner.is_dry || changed.empty()) return {};
    if (!flags_.is_sure && has_terminal()) MAKEGOOD_TRY(confirm("Make it so?", "No saga was changed."));
    for (const WantedSaga* saga : changed) MAKEGOOD_TRY(put_and_tell(*saga));
    return {};
  }

 private:
  Result<> apply_routing(const WantedOutbox& wanted, const std::string& outbox) {
    path_ = fmt::format("/api/outboxes/{}/apply", percent_encoded(outbox));
    const std::string difference = MAKEGOOD_TRY(call(wanted, true));
    const bool is_so_already = array_at(MAKEGOOD_TRY(parse_answer(difference)), "changes").Empty();
    if (program_.as_json && (flags_.manner.is_dry || is_so_already)) {
      fmt::print("{}\n", difference);
      return {};
    }
    if (!program_.as_json) show(outbox, difference);
    if (flags_.manner.is_dry || is_so_already) return {};
    if (!flags_.is_sure && has_terminal()) MAKEGOOD_TRY(confirm("Make it so?", "Nothing was changed."));
    return tell_applied(program_, MAKEGOOD_TRY(call(wanted, false)));
  }

  /// Looked at first, as sagas are.
  Result<> apply_sources(const WantedOutbox& wanted, const std::string& outbox) {
    std::vector<WantedSource> changed;
    for (const WantedSource& source : wanted_sources(wanted)) {
      const std::string answer = MAKEGOOD_TRY(put(source, outbox, true));
      const std::string line = source_line(answer);
      if (!line.empty()) changed.push_back(source);
      if (!program_.as_json && !line.empty()) fmt::print("{}\n", line);
      if (program_.as_json && (flags_.manner.is_dry || line.empty())) fmt::print("{}\n", answer);
    }
    if (flags_.manner.is_dry || changed.empty()) return {};
    if (!flags_.is_sure && has_terminal()) MAKEGOOD_TRY(confirm("Make it so?", "No source was changed."));
    for (const WantedSource& source : changed) {
      const std::string answer = MAKEGOOD_TRY(put(source, outbox, false));
      if (program_.as_json) {
        fmt::print("{}\n", answer);
      } else {
        fmt::print("The source {} is registered.\n", config::printable(source.name));
      }
    }
    return {};
  }
  Result<std::string> put(const WantedSource& source, const std::string& outbox, bool is_dry) {
    return client_.send("PUT", source_path(outbox, source.name), source.document, is_dry ? "dry_run=true" : "");
  }
  Result<std::string> put(const WantedSaga& saga, bool is_dry) {
    auto answer = client_.send("PUT", saga_path(saga.name), saga.document, is_dry ? "dry_run=true" : "");
    if (!answer) answer.error().message = fmt::format("{}: {}", saga.file, answer.error().message);
    return answer;
  }
  Result<> put_and_tell(const WantedSaga& saga) {
    const std::string answer = MAKEGOOD_TRY(put(saga, false));
    if (program_.as_json) {
      fmt::print("{}\n", answer);
    } else {
      const auto told = MAKEGOOD_TRY(parse_answer(answer));
      fmt::print("Saga {} is defined in version {}.\n", config::printable(saga.name), number_at(told, "version"));
    }
    return {};
  }
  Result<std::string> call(const WantedOutbox& wanted, bool is_dry) {
    ApplyManner manner = flags_.manner;
    manner.is_dry = is_dry;
    auto answer = client_.send("POST", path_, apply_body(wanted, manner));
    if (!answer) return in_files(answer.error(), wanted);
    return answer;
  }

  static void show(const std::string& outbox, const std::string& difference) {
    const bool is_empty = difference_lines(difference).empty();
    fmt::print("{}{}\n", config::printable(outbox), is_empty ? ": nothing to change" : "");
    print_difference(difference);
  }

  Program& program_;
  const ApplyFlags& flags_;
  Client& client_;
  std::string path_;
};

/// Where every file says which outbox it means, those need not be in the configuration too.
void name_outboxes(Program& program, const std::vector<WantedOutbox>& wanted) {
  const bool all_say = std::ranges::none_of(wanted, [](const WantedOutbox& one) { return one.outbox.empty(); });
  if (!all_say || !program.outboxes.empty()) return;
  for (const WantedOutbox& one : wanted) program.outboxes.push_back(one.outbox);
}

Result<> apply_all(Program& program, const ApplyFlags& flags) {
  const Wanted wanted = MAKEGOOD_TRY(read_wanted(flags.paths, config::process_environment()));
  name_outboxes(program, wanted.outboxes);
  const auto client = MAKEGOOD_TRY(Client::open(program));
  Applier applier(program, flags, *client);
  for (const WantedOutbox& one : wanted.outboxes) MAKEGOOD_TRY(applier.apply(one));
  return applier.apply(wanted.sagas);
}

}  // namespace

std::string apply_body(const WantedOutbox& wanted, const ApplyManner& manner) {
  return body_of([&](api::Writer& writer) {
    if (!wanted.destinations.empty()) api::put_json(writer, "destinations", wanted.destinations);
    if (!wanted.routes.empty()) api::put_json(writer, "routes", wanted.routes);
    api::put(writer, "prune", manner.prunes);
    if (manner.replaces) api::put(writer, "replace", true);
    api::put(writer, "dry_run", manner.is_dry);
    put_if(writer, "reason", manner.reason);
  });
}

std::vector<std::string> difference_lines(const std::string& answer) {
  std::vector<std::string> lines;
  const auto difference = parse_answer(answer);
  if (!difference) return lines;
  for (const Json& change : array_at(*difference, "changes").GetArray()) {
    const std::string kind = text_at(change, "kind");
    lines.push_back(
        config::printable(fmt::format("{} {} {}", sign_of(kind), text_at(change, "what"), text_at(change, "name"))));
    if (kind == "remove") continue;
    for (const Json& field : array_at(change, "fields").GetArray())
      lines.push_back(field_line(field, kind == "change"));
  }
  return lines;
}

std::string source_path(const std::string& outbox, const std::string& name) {
  return fmt::format("/api/outboxes/{}/sources/{}", percent_encoded(outbox), percent_encoded(name));
}

std::string source_line(const std::string& answer) {
  const auto told = parse_answer(answer);
  const std::string change = told ? text_at(*told, "change") : std::string();
  if (change.empty() || change == "none") return {};
  return config::printable(fmt::format("{} source {}", change == "added" ? "+" : "~", text_at(*told, "name")));
}

std::string saga_path(const std::string& name) {
  return fmt::format("/api/saga/definitions/{}", percent_encoded(name));
}

std::string saga_line(const std::string& answer) {
  const auto told = parse_answer(answer);
  const std::string change = told ? text_at(*told, "change") : std::string();
  if (change.empty() || change == "none") return {};
  return config::printable(fmt::format("{} saga {} (version {})", change == "added" ? "+" : "~", text_at(*told, "name"),
                                       number_at(*told, "version")));
}

namespace {

Result<> apply_sources(const WantedOutbox& wanted, const std::string& outbox, const daemon::HandleCall& handle,
                       std::vector<std::string>& lines) {
  for (const WantedSource& source : wanted_sources(wanted)) {
    const api::Answer answer = handle({.method = "PUT",
                                       .path = source_path(outbox, source.name),
                                       .content_type = "application/json",
                                       .body = source.document,
                                       .operator_name = "serve"});
    if (answer.status > last_good_status) return in_files(error_in(answer, "The API"), wanted);
    if (const std::string line = source_line(answer.body); !line.empty()) lines.push_back(line);
  }
  return {};
}

Result<> apply_sagas(const std::vector<WantedSaga>& sagas, const daemon::HandleCall& handle,
                     std::vector<std::string>& lines) {
  for (const WantedSaga& saga : sagas) {
    const api::Answer answer = handle({.method = "PUT",
                                       .path = saga_path(saga.name),
                                       .content_type = "application/json",
                                       .body = saga.document,
                                       .operator_name = "serve"});
    if (answer.status > last_good_status) {
      Error error = error_in(answer, "The API");
      error.message = fmt::format("{}: {}", saga.file, error.message);
      return error;
    }
    if (const std::string line = saga_line(answer.body); !line.empty()) lines.push_back(line);
  }
  return {};
}

}  // namespace

Result<std::vector<std::string>> apply_files(const std::vector<std::string>& paths,
                                             const config::Environment& environment, const std::string& only_outbox,
                                             const daemon::HandleCall& handle) {
  return apply_wanted(MAKEGOOD_TRY(read_wanted(paths, environment)), only_outbox, handle);
}

Result<std::vector<std::string>> apply_wanted(const Wanted& all, const std::string& only_outbox,
                                              const daemon::HandleCall& handle) {
  std::vector<std::string> lines;
  for (const WantedOutbox& wanted : all.outboxes) {
    const std::string& outbox = wanted.outbox.empty() ? only_outbox : wanted.outbox;
    if (outbox.empty()) {
      return in_files({Errc::config_invalid, "There are several outboxes; say which with outbox: NAME."}, wanted);
    }
    const api::Answer answer = handle({.method = "POST",
                                       .path = fmt::format("/api/outboxes/{}/apply", percent_encoded(outbox)),
                                       .content_type = "application/json",
                                       .body = apply_body(wanted, {.reason = "serve --apply"}),
                                       .operator_name = "serve"});
    if (answer.status > last_good_status) return in_files(error_in(answer, "The API"), wanted);
    for (const std::string& line : difference_lines(answer.body)) lines.push_back(line);
    MAKEGOOD_TRY(apply_sources(wanted, outbox, handle, lines));
  }
  MAKEGOOD_TRY(apply_sagas(all.sagas, handle, lines));
  return lines;
}

void add_apply(CLI::App& app, Program& program) {
  CLI::App& verb = *app.add_subcommand("apply", "Make destinations, routes, sources and sagas what files say");
  add_call_flags(verb, program);
  const auto flags = std::make_shared<ApplyFlags>();
  verb.add_option("-f,--file", flags->paths, "A YAML file, or a folder of them; may be repeated")
      ->type_name("FILE|DIR")
      ->required()
      ->allow_extra_args(false);
  verb.add_flag("--dry-run", flags->manner.is_dry, "Show the difference and stop");
  verb.add_flag("--prune", flags->manner.prunes, "Also remove what is registered and in no file");
  verb.add_flag("--replace", flags->manner.replaces, "What a destination's document leaves out gets its default");
  verb.add_flag("--yes", flags->is_sure, "Do not ask");
  add_asking_flags(verb, program, flags->manner.reason);
  verb.footer(
      "A file has outbox:, destinations:, routes:, sources: and sagas:, in the words of REST. ${NAME} and "
      "${NAME:-default} are\n"
      "put in from the environment, but not in sagas, where ${...} is a template. The difference is shown first:\n"
      "+ added, - removed, ~ changed; on a terminal it is confirmed.");
  run(verb, program, [&program, flags] { return apply_all(program, *flags); });
}

}  // namespace makegood::cli
