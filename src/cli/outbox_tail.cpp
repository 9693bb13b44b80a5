// makegood outbox tail: what happens now. A server tells of every delivery; on a store, messages are listed as they
// come.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "cli/client.hpp"
#include "cli/json_view.hpp"
#include "cli/message_flags.hpp"
#include "cli/verbs.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

constexpr auto tail_interval = std::chrono::milliseconds(200);
constexpr std::size_t tail_page = 1000;

struct Tailing {
  MessageFlags flags = {};
  std::size_t last = 0;
  std::size_t limit = 0;
};

/// The clock's part of a moment: the day is today.
std::string clock_of(const std::string& moment) { return moment.size() > 23 ? moment.substr(11, 12) : moment; }

/// Without blanks at the end, and without the fields that are not there.
void print_event_line(const std::vector<std::string>& parts) {
  std::string line;
  for (const std::string& part : parts) {
    if (part.empty() || part == "-") continue;
    line += line.empty() ? part : "  " + part;
  }
  fmt::print("{}\n", config::printable(line));
}

class Tail {
 public:
  Tail(const Program& program, const Tailing& tailing, Client& client)
      : program_(program), tailing_(tailing), client_(client) {}

  Result<> run() {
    MAKEGOOD_TRY(show_last());
    return client_.is_server() ? follow_events() : follow_messages();
  }

 private:
  bool is_enough() const { return tailing_.limit != 0 && shown_ >= tailing_.limit; }

  void shown() {
    ++shown_;
    std::fflush(stdout);
  }

  /// The newest messages, the oldest of them first; those up to `seen_` are left out.
  Result<std::vector<rapidjson::Document>> new_messages(std::size_t limit) {
    std::vector<rapidjson::Document> found;
    std::string cursor;
    do {
      Query query = MAKEGOOD_TRY(query_of(tailing_.flags));
      query.add("limit", fmt::format("{}", limit)).add("cursor", cursor);
      const std::string answer = MAKEGOOD_TRY(client_.get_of_outbox("/messages", query.text()));
      const auto page = MAKEGOOD_TRY(parse_answer(answer));
      cursor = text_at(page, "next");
      for (const Json& message : array_at(page, "items").GetArray()) {
        if (number_at(message, "sequence") <= seen_) return found;
        rapidjson::Document& copy = found.emplace_back();
        copy.CopyFrom(message, copy.GetAllocator());
      }
    } while (!cursor.empty() && found.size() < limit);
    return found;
  }

  Result<> show_last() {
    const auto newest = MAKEGOOD_TRY(new_messages(1));
    if (tailing_.last > 0) show_all(MAKEGOOD_TRY(new_messages(tailing_.last)));
    if (!newest.empty()) seen_ = std::max(seen_, number_at(newest.front(), "sequence"));
    return {};
  }

  void show_all(const std::vector<rapidjson::Document>& messages) {
    for (auto message = messages.rbegin(); message != messages.rend() && !is_enough(); ++message)
      show_message(*message);
  }

  void show_message(const Json& message) {
    seen_ = std::max(seen_, number_at(message, "sequence"));
    if (program_.as_json) {
      fmt::print("{}\n", json_of(message));
    } else {
      print_event_line({clock_of(text_at(message, "created_at")), text_at(message, "state"), cell(message, "sequence"),
                        cell(message, "tenant_id"), cell(message, "topic"), cell(message, "dispatch_key"),
                        cell(message, "last_error")});
    }
    shown();
  }

  Result<> follow_messages() {
    while (!is_enough()) {
      show_all(MAKEGOOD_TRY(new_messages(tail_page)));
      if (!is_enough()) std::this_thread::sleep_for(tail_interval);
    }
    return {};
  }

  Result<> follow_events() {
    if (is_enough()) return {};
    Query query;
    query.add("outbox", MAKEGOOD_TRY(client_.outbox()));
    query.add("topic", tailing_.flags.topic).add("tenant", tailing_.flags.tenant);
    MAKEGOOD_TRY(client_.follow("/api/events", query.text(), [&](std::string_view line) { return take(line); }));
    if (is_enough()) return {};
    return Error{Errc::unavailable, "The server has ended the stream; it may have been stopped."};
  }

  bool take(std::string_view line) {
    constexpr std::string_view kind_begin = "event: ";
    constexpr std::string_view data_begin = "data: ";
    if (line.starts_with(kind_begin)) kind_ = line.substr(kind_begin.size());
    if (line.starts_with(data_begin)) show_event(line.substr(data_begin.size()));
    return !is_enough();
  }

  void show_event(std::string_view data) {
    const auto event = parse_answer(data);
    if (!event) return;
    if (program_.as_json) {
      fmt::print("{{\"kind\":\"{}\",{}\n", kind_, data.substr(1));
    } else {
      print_event_line({clock_of(text_at(*event, "at")), kind_, text_at(*event, "what"), cell(*event, "sequence"),
                        text_at(*event, "tenant_id"), text_at(*event, "topic"), text_at(*event, "dispatch_key"),
                        text_at(*event, "destination"), text_at(*event, "code"), text_at(*event, "detail")});
    }
    shown();
  }

  const Program& program_;
  const Tailing& tailing_;
  Client& client_;
  std::string kind_;
  std::int64_t seen_ = 0;
  std::size_t shown_ = 0;
};

Result<> follow_outbox(const Program& program, const Tailing& tailing) {
  const auto client = MAKEGOOD_TRY(Client::open(program));
  return Tail(program, tailing, *client).run();
}

}  // namespace

void add_outbox_tail(CLI::App& outbox, Program& program) {
  CLI::App& verb = *outbox.add_subcommand("tail", "Follow what happens, until it is interrupted");
  add_call_flags(verb, program);
  const auto tailing = std::make_shared<Tailing>();
  add_topic_flags(verb, tailing->flags);
  verb.add_option("--last", tailing->last, "Begin with so many messages that are there already, default 0")
      ->type_name("N")
      ->check(CLI::Range(0, 1000));
  verb.add_option("--limit", tailing->limit, "End after so many lines")->type_name("N")->check(CLI::PositiveNumber);
  verb.footer(
      "A server (--server) tells of every delivery as it ends. On a store the messages are listed as they are "
      "committed.\n"
      "With --json each line is one object.");
  run(verb, program, [&program, tailing] { return follow_outbox(program, *tailing); });
}

}  // namespace makegood::cli
