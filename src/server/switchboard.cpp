#include "server/switchboard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/enqueue.hpp"
#include "server/gate.hpp"

namespace makegood::server {
namespace {

constexpr std::size_t gathered_max = 32;
constexpr std::string_view plain_text = "text/plain; charset=utf-8";
constexpr std::string_view metrics_format = "text/plain; version=0.0.4; charset=utf-8";

api::Answer only_get() {
  api::Answer answer = api::problem(405, {Errc::invalid, "This can only be looked at; use GET."});
  answer.headers.emplace_back("Allow", "GET, HEAD");
  return answer;
}

}  // namespace

std::optional<api::Answer> Switchboard::connect(api::Call call, const std::shared_ptr<Caller>& caller) {
  if (auto answer = own_route(call)) return answer;
  bool is_taken = false;
  if (auto answer = enqueue(call, caller, is_taken); answer || is_taken) return answer;
  if (auto answer = start(call, caller, is_taken); answer || is_taken) return answer;

  Workers::Task task;
  if (is_metrics_path(call.path)) {
    task = [this](api::Api&) {
      return api::Answer{.content_type = std::string(metrics_format),
                         .body = parts_.process.metrics_text() + parts_.figures.text()};
    };
  } else {
    task = [call = std::move(call)](api::Api& api) { return api.begin(call); };
  }
  if (!parts_.workers.submit(std::move(task), caller)) return busy();
  return {};
}

/// What tells of the process itself must be answered even when the store and all workers hang.
std::optional<api::Answer> Switchboard::own_route(const api::Call& call) {
  const bool is_own = is_health_path(call.path) || is_metrics_path(call.path);
  if (!is_own) return {};
  if (call.method != "GET") return only_get();
  if (call.path == "/healthz") return api::Answer{.content_type = std::string(plain_text), .body = "ok\n"};
  if (call.path == "/readyz") return readiness();
  return {};
}

bool Switchboard::is_metrics_path(std::string_view path) const {
  const std::string& own = parts_.options.metrics_path;
  return !own.empty() && (path == "/metrics" || path == own);
}

api::Answer Switchboard::readiness() const {
  const auto reasons = parts_.process.not_ready ? parts_.process.not_ready() : std::vector<std::string>();
  if (reasons.empty()) return {.content_type = std::string(plain_text), .body = "ready\n"};
  return api::problem(503, {Errc::store_unavailable, fmt::format("{}", fmt::join(reasons, " "))});
}

std::optional<api::Answer> Switchboard::enqueue(const api::Call& call, const std::shared_ptr<Caller>& caller,
                                                bool& is_taken) {
  auto decoded = api::decode_enqueue(call, parts_.api_context);
  if (!decoded) return {};
  if (!*decoded) return api::problem(decoded->error());
  // The API has the words for an outbox that is not there.
  if (std::ranges::find(parts_.api_context.outboxes, (*decoded)->outbox) == parts_.api_context.outboxes.end()) {
    return {};
  }
  gather({.call = std::move(**decoded), .caller = caller});
  is_taken = true;
  return {};
}

std::optional<api::Answer> Switchboard::start(const api::Call& call, const std::shared_ptr<Caller>& caller,
                                              bool& is_taken) {
  auto decoded = api::decode_saga_start(call, parts_.api_context);
  if (!decoded) return {};
  if (!*decoded) return api::problem(decoded->error());
  if (!parts_.sagas.push({.call = std::move(**decoded), .caller = caller})) return busy();
  is_taken = true;
  return {};
}

/// Half of many callers are committed while the other half is still being read.
void Switchboard::gather(EnqueueTask task) {
  gathered_.push_back(std::move(task));
  if (gathered_.size() >= gathered_max) return hand_over();
  if (gathered_.size() == 1) parts_.soon([this] { hand_over(); });
}

void Switchboard::hand_over() {
  if (gathered_.empty()) return;
  for (const EnqueueTask& refused : parts_.enqueues.push(std::exchange(gathered_, {}))) refused.caller->answer(busy());
}

api::Answer Switchboard::busy() {
  parts_.figures.refused(Refusal::queue);
  api::Answer answer = api::problem(503, {Errc::store_unavailable, "Too many calls wait already; try again later."});
  answer.headers.emplace_back("Retry-After", "1");
  return answer;
}

}  // namespace makegood::server
