#include "cli/client_http.hpp"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <utility>
#include <vector>

#include "cli/json_view.hpp"
#include "config/mistake.hpp"
#include "daemon/door.hpp"

namespace makegood::cli {
namespace {

constexpr long connect_timeout_ms = 5000;
/// Longer than any call takes: a server answers a request within seconds, a test of a destination within a minute.
constexpr long call_timeout_ms = 120'000;
constexpr int status_unauthorized = 401;

using CurlHandle = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
using CurlLines = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

/// What arrives: gathered as a whole, or handed on line by line when somebody takes lines.
struct Arrival {
  std::string text = {};
  const Client::TakeLine* take = nullptr;
  bool is_enough = false;

  bool hand_on() {
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n')) {
      const bool goes_on = (*take)(std::string_view(text).substr(0, end));
      text.erase(0, end + 1);
      if (goes_on) continue;
      is_enough = true;
      return false;
    }
    return true;
  }
};

extern "C" inline std::size_t makegood_cli_arrived(char* bytes, std::size_t /*one*/, std::size_t count, void* arrival) {
  auto& whole = *static_cast<Arrival*>(arrival);
  whole.text.append(bytes, count);
  return whole.take == nullptr || whole.hand_on() ? count : 0;
}

void add_line(CurlLines& lines, const std::string& line) {
  lines.reset(curl_slist_append(lines.release(), line.c_str()));
}

class HttpClient final : public Client {
 public:
  HttpClient(std::string url, const Program& program, daemon::WayIn way_in)
      : Client(program), url_(std::move(url)), way_in_(std::move(way_in)), named_(program.outboxes) {}

  Result<std::string> outbox() override {
    if (named_.empty()) MAKEGOOD_TRY(ask_for_outboxes());
    if (named_.size() == 1) return named_.front();
    return Error{Errc::invalid, fmt::format("The server has {} outboxes ({}); name one with --outbox.", named_.size(),
                                            fmt::join(named_, ", "))};
  }

  Result<> follow(const std::string& path, const std::string& query, const TakeLine& take) override {
    Arrival arrival{.take = &take};
    const int status = MAKEGOOD_TRY(perform({.path = path, .query = query}, arrival, 0));
    if (status == 200) return {};
    return error_in({.status = status, .body = arrival.text}, url_);
  }
  bool is_server() const override { return true; }

 private:
  Result<> ask_for_outboxes() {
    const std::string answer = MAKEGOOD_TRY(get("/api/outboxes"));
    const auto all = MAKEGOOD_TRY(parse_answer(answer));
    for (const Json& one : array_at(all, "items").GetArray()) named_.push_back(text_at(one, "outbox"));
    return {};
  }

  Result<api::Answer> answer(const api::Call& call) override {
    Arrival arrival;
    const int status = MAKEGOOD_TRY(perform(call, arrival, call_timeout_ms));
    if (status == status_unauthorized) {
      Error error = error_in({.status = status, .body = arrival.text}, url_);
      error.message += " Put it into a file and name that with --token-file, or into MAKEGOOD_TOKEN.";
      return error;
    }
    return api::Answer{.status = status, .body = std::move(arrival.text)};
  }

  Result<int> perform(const api::Call& call, Arrival& arrival, long timeout_ms) {
    const std::string url = call.query.empty() ? url_ + call.path : fmt::format("{}{}?{}", url_, call.path, call.query);
    const CurlLines lines = head_of(call);
    CURL* curl = curl_.get();
    curl_easy_reset(curl);
    curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    if (!way_in_.socket.empty()) {
      curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, way_in_.socket.c_str());
      curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    }
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, connect_timeout_ms);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, timeout_ms);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, lines.get());
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, call.method.c_str());
    if (call.method != "GET" && call.method != "DELETE") {
      curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(call.body.size()));
      curl_easy_setopt(curl, CURLOPT_POSTFIELDS, call.body.c_str());
    }
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &makegood_cli_arrived);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, &arrival);
    const CURLcode code = curl_easy_perform(curl);
    if (code != CURLE_OK && !arrival.is_enough) return no_answer(code);
    long status = 0;
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    return static_cast<int>(status);
  }

  CurlLines head_of(const api::Call& call) const {
    CurlLines lines(nullptr, &curl_slist_free_all);
    add_line(lines, "Content-Type: application/json");
    add_line(lines, "Expect:");
    if (!call.operator_name.empty()) add_line(lines, "X-Operator: " + config::printable(call.operator_name));
    if (!way_in_.token.empty()) add_line(lines, "Authorization: Bearer " + way_in_.token);
    return lines;
  }

  Error no_answer(CURLcode code) const {
    const std::string_view why = curl_easy_strerror(code);
    if (code == CURLE_OPERATION_TIMEDOUT) {
      return {Errc::timeout, fmt::format("The server at {} does not answer in time; is it well?", url_)};
    }
    if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST) {
      return {Errc::unavailable,
              fmt::format("No server answers at {} ({}). Start one with `makegood serve`, or work on "
                          "the store itself with --store URL.",
                          url_, why)};
    }
    return {Errc::unavailable,
            fmt::format("The call to {} failed ({}). Is it the URL of `makegood serve`?", url_, why)};
  }

  const std::string url_;
  const daemon::WayIn way_in_;
  std::vector<std::string> named_;
  CurlHandle curl_{curl_easy_init(), &curl_easy_cleanup};
};

std::string last_word(std::string_view line) {
  const std::size_t end = line.find_last_not_of(" \t\r");
  if (end == std::string_view::npos) return {};
  line = line.substr(0, end + 1);
  const std::size_t blank = line.find_last_of(" \t");
  return std::string(blank == std::string_view::npos ? line : line.substr(blank + 1));
}

/// The last word of the first line that is not empty: so a line of the server's own file will do.
Result<std::string> token_in(const std::string& file) {
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    if (std::string word = last_word(line); !word.empty() && !line.starts_with('#')) return word;
  }
  return Error{Errc::invalid, fmt::format("There is no token in {}; it cannot be read, or is empty.", file)};
}

/// Empty: nobody has said one.
Result<std::string> given_token(const Program& program, const config::Environment& environment) {
  if (!program.token_file.empty()) return token_in(program.token_file);
  const auto found = std::ranges::find(environment, "MAKEGOOD_TOKEN", &std::pair<std::string, std::string>::first);
  return found == environment.end() ? std::string() : found->second;
}

}  // namespace

std::vector<std::string> door_folders_of(const Program& program, const config::Environment& environment) {
  const auto sources = sources_of(program);
  const std::string folder = sources ? config::load(*sources).config.server.door_folder : std::string();
  return daemon::door_folders(folder, environment);
}

Result<std::unique_ptr<Client>> open_http_client(const std::string& url, const Program& program,
                                                 const config::Environment& environment) {
  const std::size_t end = url.find_last_not_of('/');
  const std::string trimmed = end == std::string::npos ? std::string() : url.substr(0, end + 1);
  if (!trimmed.starts_with("http://") && !trimmed.starts_with("https://")) {
    return Error{Errc::invalid,
                 fmt::format("'{}' is not the URL of a server; write http://127.0.0.1:7700.", config::printable(url))};
  }
  daemon::WayIn way_in{.token = MAKEGOOD_TRY(given_token(program, environment))};
  if (way_in.token.empty()) way_in = daemon::find_way_in(trimmed, door_folders_of(program, environment));
  return std::unique_ptr<Client>(std::make_unique<HttpClient>(trimmed, program, std::move(way_in)));
}

}  // namespace makegood::cli
