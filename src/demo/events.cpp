#include "demo/events.hpp"

#include <curl/curl.h>
#include <fmt/format.h>
#include <rapidjson/document.h>

#include <memory>

#include "daemon/door.hpp"
#include "makegood/observe.hpp"

namespace makegood::demo {
namespace {

constexpr int retries_told = 3;

struct CleanUpDemoCall {
  void operator()(CURL* call) const noexcept { curl_easy_cleanup(call); }
};
using DemoCall = std::unique_ptr<CURL, CleanUpDemoCall>;

/// Gets in as the command line does: over the socket, or with the token.
class DemoDoor {
 public:
  DemoDoor(const std::string& url, const std::vector<std::string>& folders)
      : way_in_(daemon::find_way_in(url, folders)) {}

  void open_for(CURL* call) {
    curl_easy_setopt(call, CURLOPT_NOPROXY, "*");
    if (!way_in_.socket.empty()) curl_easy_setopt(call, CURLOPT_UNIX_SOCKET_PATH, way_in_.socket.c_str());
    if (way_in_.token.empty()) return;
    lines_.reset(curl_slist_append(nullptr, ("Authorization: Bearer " + way_in_.token).c_str()));
    curl_easy_setopt(call, CURLOPT_HTTPHEADER, lines_.get());
  }

 private:
  const daemon::WayIn way_in_;
  std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)> lines_{nullptr, &curl_slist_free_all};
};

std::size_t ignore_answer(char*, std::size_t size, std::size_t count, void*) { return size * count; }

int is_stopped(void* stop, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const std::stop_token*>(stop)->stop_requested() ? 1 : 0;
}

std::string text_in(const rapidjson::Document& event, const char* name) {
  const auto found = event.FindMember(name);
  return found != event.MemberEnd() && found->value.IsString() ? found->value.GetString() : "";
}

std::int64_t number_in(const rapidjson::Document& event, const char* name) {
  const auto found = event.FindMember(name);
  return found != event.MemberEnd() && found->value.IsInt64() ? found->value.GetInt64() : 0;
}

/// The details of HTTP begin with the URL, which the destination's name says as well.
std::string without_url(const std::string& detail) {
  const std::size_t end = detail.find(": ");
  return detail.starts_with("http") && end != std::string::npos ? detail.substr(end + 2) : detail;
}

std::string to_text(const DemoAttempt& attempt) {
  return fmt::format("message {} to {}, attempt {}: {}", attempt.sequence, attempt.destination, attempt.number,
                     attempt.detail);
}

}  // namespace

int demo_status_of(const std::string& url, const std::vector<std::string>& door_folders) {
  DemoDoor door(url, door_folders);
  const DemoCall call(curl_easy_init());
  curl_easy_setopt(call.get(), CURLOPT_URL, url.c_str());
  door.open_for(call.get());
  curl_easy_setopt(call.get(), CURLOPT_TIMEOUT_MS, 2000L);
  curl_easy_setopt(call.get(), CURLOPT_WRITEFUNCTION, ignore_answer);
  if (curl_easy_perform(call.get()) != CURLE_OK) return 0;
  long status = 0;
  curl_easy_getinfo(call.get(), CURLINFO_RESPONSE_CODE, &status);
  return static_cast<int>(status);
}

DemoEvents::DemoEvents(const std::string& server, std::vector<std::string> door_folders, DemoTeller& teller)
    : door_folders_(std::move(door_folders)),
      teller_(teller),
      thread_([this, url = server + "/api/events"](const std::stop_token& stop) { read(url, stop); }) {}

DemoTally DemoEvents::tally() const { return {.delivered = delivered_, .retried = retried_, .dead = dead_}; }

void DemoEvents::read(const std::string& url, const std::stop_token& stop) {
  DemoDoor door(url, door_folders_);
  const DemoCall call(curl_easy_init());
  curl_easy_setopt(call.get(), CURLOPT_URL, url.c_str());
  door.open_for(call.get());
  curl_easy_setopt(call.get(), CURLOPT_WRITEFUNCTION, &DemoEvents::take);
  curl_easy_setopt(call.get(), CURLOPT_WRITEDATA, this);
  curl_easy_setopt(call.get(), CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(call.get(), CURLOPT_XFERINFOFUNCTION, is_stopped);
  curl_easy_setopt(call.get(), CURLOPT_XFERINFODATA, &stop);
  curl_easy_perform(call.get());  // Until the daemon ends, or we do.
}

std::size_t DemoEvents::take(char* bytes, std::size_t size, std::size_t count, void* self) {
  auto& events = *static_cast<DemoEvents*>(self);
  events.unread_.append(bytes, size * count);
  events.take_lines();
  return size * count;
}

/// `event: KIND`, `data: JSON`, an empty line.
void DemoEvents::take_lines() {
  for (std::size_t end = unread_.find('\n'); end != std::string::npos; end = unread_.find('\n')) {
    const std::string line = unread_.substr(0, end);
    unread_.erase(0, end + 1);
    if (line.starts_with("event: ")) kind_ = line.substr(7);
    if (line.starts_with("data: ")) take_event(kind_, std::string_view(line).substr(6));
  }
}

void DemoEvents::take_event(std::string_view kind, std::string_view json) {
  rapidjson::Document event;
  if (event.Parse(json.data(), json.size()).HasParseError() || !event.IsObject()) return;
  const DemoAttempt attempt = {.destination = text_in(event, "destination"),
                               .key = text_in(event, "dispatch_key"),
                               .sequence = number_in(event, "sequence"),
                               .number = number_in(event, "attempt"),
                               .detail = without_url(text_in(event, "detail"))};
  if (kind == "delivered") ++delivered_;
  if (kind == "retried") {
    ++retried_;
    tell_retry(attempt);
  }
  if (kind == "died") {
    ++dead_;
    teller_.tell("makegood", to_text(attempt) + " → dead letter");
  }
  if (kind == "news") tell_news(text_in(event, "what"), attempt.destination);
}

/// The first few of each destination; later ones are no news any more, unless they do not go away.
void DemoEvents::tell_retry(const DemoAttempt& attempt) {
  const bool is_repeated = attempt.number > 1;
  if (!is_repeated && ++first_retries_[attempt.destination] > retries_told) return;
  teller_.tell("makegood", to_text(attempt) + " → retry");
  if (!is_repeated || !blocked_.insert(attempt.destination + " " + attempt.key).second) return;
  teller_.tell("makegood", fmt::format("{} is blocked at {}: its later messages wait there, those of others go on",
                                       attempt.key, attempt.destination));
}

void DemoEvents::tell_news(std::string_view what, const std::string& destination) {
  if (what == to_string(LaneNews::Kind::circuit_opened))
    teller_.tell("makegood",
                 fmt::format("the circuit of {} is open: only probes are sent, nothing is lost", destination));
  if (what == to_string(LaneNews::Kind::circuit_closed))
    teller_.tell("makegood", fmt::format("the circuit of {} is closed: what has waited is delivered", destination));
}

}  // namespace makegood::demo
