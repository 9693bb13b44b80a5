#include "cli/client.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/client_http.hpp"
#include "cli/client_store.hpp"
#include "cli/json_view.hpp"
#include "cli/url_text.hpp"

namespace makegood::cli {
namespace {

constexpr int first_error_status = 300;

std::optional<Errc> code_from(std::string_view text) {
  for (int number = 0; number <= static_cast<int>(Errc::internal); ++number) {
    const auto code = static_cast<Errc>(number);
    if (to_string(code) == text) return code;
  }
  return std::nullopt;
}

/// A flag wins over the environment: one that names a store, or the file that does.
bool flags_name_store(const Program& program) {
  const auto sets_store = [](const std::string& setting) { return setting.starts_with("store.url="); };
  return !program.store_url.empty() || !program.config_file.empty() ||
         std::ranges::any_of(program.settings, sets_store);
}

std::string server_of(const Program& program, const config::Environment& environment) {
  if (!program.server_url.empty() || flags_name_store(program)) return program.server_url;
  const auto found = std::ranges::find(environment, "MAKEGOOD_SERVER", &std::pair<std::string, std::string>::first);
  return found == environment.end() ? std::string() : found->second;
}

}  // namespace

Error error_in(const api::Answer& answer, const std::string& where) {
  const auto problem = parse_answer(answer.body);
  const auto code = problem ? code_from(text_at(*problem, "code")) : std::nullopt;
  if (!code) {
    return {Errc::unavailable,
            fmt::format("{} answered {}, and not as Makegood does; is the URL right?", where, answer.status)};
  }
  return {*code, text_at(*problem, "detail")};
}

bool names_server(const Program& program) { return !server_of(program, config::process_environment()).empty(); }

Result<std::unique_ptr<Client>> Client::open(const Program& program) {
  const config::Environment environment = config::process_environment();
  const std::string server = server_of(program, environment);
  return server.empty() ? open_store_client(program) : open_http_client(server, program, environment);
}

Result<std::string> Client::ask(api::Call call) {
  call.operator_name = operator_name_;
  if (!call.body.empty()) call.content_type = "application/json";
  api::Answer answer = MAKEGOOD_TRY(this->answer(call));
  if (answer.status >= first_error_status) return error_in(answer, "The server");
  return std::move(answer.body);
}

Result<std::string> Client::get(const std::string& path, const std::string& query) {
  return ask({.path = path, .query = query});
}

Result<std::string> Client::send(const std::string& method, const std::string& path, const std::string& body,
                                 const std::string& query) {
  return ask({.method = method, .path = path, .query = query, .body = body});
}

Result<std::string> Client::get_of_outbox(const std::string& below, const std::string& query) {
  return send_to_outbox("GET", below, {}, query);
}

Result<std::string> Client::send_to_outbox(const std::string& method, const std::string& below, const std::string& body,
                                           const std::string& query) {
  const std::string name = MAKEGOOD_TRY(outbox());
  return send(method, fmt::format("/api/outboxes/{}{}", percent_encoded(name), below), body, query);
}

void put_if(api::Writer& writer, std::string_view name, const std::string& text) {
  if (!text.empty()) api::put(writer, name, std::string_view(text));
}

}  // namespace makegood::cli
