#include "cli/story.hpp"

#include <fmt/format.h>

#include <string>

#include "cli/age.hpp"
#include "cli/print.hpp"
#include "config/mistake.hpp"

namespace makegood::cli {
namespace {

constexpr std::size_t content_bytes_shown = 2000;

std::string cut(const std::string& text) {
  if (text.size() <= content_bytes_shown) return text;
  return fmt::format("{}… ({} bytes; --json has them all)", text.substr(0, content_bytes_shown), text.size());
}

}  // namespace

void print_field(std::string_view name, std::string_view value) {
  fmt::print("  {:<10} {}\n", name, config::printable(value));
}

void print_content(const Json& message) {
  if (flag_at(message, "is_content_hidden")) {
    print_field("payload", "hidden: only operators see what messages hold");
  } else if (const std::string payload = text_at(message, "payload_text"); !payload.empty()) {
    print_field("payload", cut(payload));
  } else {
    print_field("body", fmt::format("{} (base64)", cut(text_at(message, "body_base64"))));
  }
  print_field("type", cell(message, "content_type"));
  for (const auto& header : object_at(message, "headers").GetObject()) {
    print_field("header", fmt::format("{}: {}", header.name.GetString(), header.value.GetString()));
  }
}

void print_attempts(const Json& story, TimePoint now) {
  std::vector<Row> rows;
  for (const Json& attempt : story.GetArray()) {
    rows.push_back({"  " + cell(attempt, "attempt"), ago_cell(attempt, "at", now), cell(attempt, "outcome"),
                    cell(attempt, "code"), cell(attempt, "owner"), cell(attempt, "error")});
  }
  if (!rows.empty()) print_table({"  ATTEMPT", "WHEN", "OUTCOME", "CODE", "OWNER", "ERROR"}, rows);
}

void print_requests(const Json& requests, TimePoint now) {
  std::vector<Row> rows;
  for (const Json& request : requests.GetArray()) {
    rows.push_back({cell(request, "request"), cell(request, "kind"), cell(request, "destination"),
                    cell(request, "operator"), ago_cell(request, "created_at", now), cell(request, "result"),
                    cell(request, "reason")});
  }
  if (rows.empty()) return;
  fmt::print("\n");
  print_table({"REQUEST", "KIND", "DESTINATION", "OPERATOR", "ASKED", "RESULT", "REASON"}, rows);
}

}  // namespace makegood::cli
