#include "observe/lane_observer.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "base/texts.hpp"
#include "base/utf8.hpp"
#include "base/without_content.hpp"

namespace makegood::observe {
namespace {

constexpr std::size_t detail_bytes_max = 2048;

LogLevel level_of(Fate fate) {
  switch (fate) {
    case Fate::delivered:
      return LogLevel::debug;
    case Fate::retried:
      return LogLevel::warning;
    case Fate::died:
      return LogLevel::error;
  }
  std::unreachable();
}

constexpr Texts<Fate, Fate::died> sentences{"delivery made", "delivery retried", "delivery dead"};

LogLevel level_of(Severity severity) {
  switch (severity) {
    case Severity::info:
      return LogLevel::info;
    case Severity::warning:
      return LogLevel::warning;
    case Severity::error:
      return LogLevel::error;
    case Severity::critical:
      return LogLevel::critical;
  }
  std::unreachable();
}

LogLevel level_of(LaneNews::Kind kind) {
  switch (kind) {
    case LaneNews::Kind::side_opened:
    case LaneNews::Kind::side_merged:
    case LaneNews::Kind::side_ended:
    case LaneNews::Kind::circuit_closed:
    case LaneNews::Kind::routes_changed:
      return LogLevel::info;
    case LaneNews::Kind::circuit_opened:
    case LaneNews::Kind::suspect_alone:
      return LogLevel::warning;
    case LaneNews::Kind::suspect_died:
    case LaneNews::Kind::disabled:
      return LogLevel::error;
  }
  std::unreachable();
}

bool is_about_a_side_lane(LaneNews::Kind kind) {
  return kind == LaneNews::Kind::side_opened || kind == LaneNews::Kind::side_merged ||
         kind == LaneNews::Kind::side_ended;
}

void write(Log& log, std::string_view outbox, const EndedAttempt& delivery) {
  const Message& message = *delivery.message;
  std::vector<Field> fields = {
      {"table", outbox},
      {"topic", message.topic},
      {"event_id", message.event_id},
      {"tenant_id", message.tenant_id},
      {"sequence", message.sequence},
      {"attempts", delivery.attempt},
      {"destination", delivery.destination ? std::string_view(delivery.destination->name) : "-"},
  };
  if (!delivery.code.empty()) fields.emplace_back("code", delivery.code);
  const std::string detail = without_content(delivery.detail, message.content);
  if (!detail.empty()) fields.emplace_back("detail", cut(detail, detail_bytes_max));
  log.write(level_of(delivery.fate), sentences.of(delivery.fate), fields);
}

void write(Log& log, std::string_view outbox, const LaneNews& news) {
  const Scope& scope = news.scope;
  std::vector<Field> fields;
  fields.reserve(7);  // All that follow; GCC 12 at -O3 takes a growing vector for an overflow here.
  fields.emplace_back("table", outbox);
  if (!scope.destination.empty()) fields.emplace_back("destination", scope.destination);
  if (!scope.tenant_id.empty()) fields.emplace_back("tenant_id", scope.tenant_id);
  if (!scope.dispatch_key.empty()) fields.emplace_back("dispatch_key", scope.dispatch_key);
  if (scope.priority) fields.emplace_back("priority", *scope.priority);
  if (is_about_a_side_lane(news.kind)) fields.emplace_back("why", to_string(news.why));
  if (news.sequence != 0) fields.emplace_back("sequence", news.sequence);
  log.write(level_of(news.kind), to_string(news.kind), fields);
}

/// What goes well is for who looks closely; what needs somebody is for everybody.
LogLevel level_of(SagaNews::Kind kind) {
  switch (kind) {
    case SagaNews::Kind::started:
    case SagaNews::Kind::step_ended:
    case SagaNews::Kind::completed:
      return LogLevel::debug;
    case SagaNews::Kind::compensating:
    case SagaNews::Kind::compensated:
    case SagaNews::Kind::cancelled:
    case SagaNews::Kind::replayed:
      return LogLevel::info;
    case SagaNews::Kind::manual:
    case SagaNews::Kind::unverified:
      return LogLevel::warning;
    case SagaNews::Kind::failed:
      return LogLevel::error;
  }
  std::unreachable();
}

}  // namespace

LaneObserver::LaneObserver(Log& log, Metrics& metrics, const Clock& clock)
    : log_(log), metrics_(metrics), clock_(clock) {}

void LaneObserver::enqueued(std::string_view outbox, std::span<const MessagePtr> messages) {
  metrics_.enqueued(outbox, messages);
}

void LaneObserver::attempts_ended(std::string_view outbox, std::span<const EndedAttempt> deliveries) {
  metrics_.attempts_ended(outbox, deliveries);
  for (const EndedAttempt& delivery : deliveries) {
    if (log_.is_enabled(level_of(delivery.fate))) write(log_, outbox, delivery);
  }
}

void LaneObserver::figures(std::string_view outbox, const LaneFigures& figures) { metrics_.figures(outbox, figures); }

void LaneObserver::ownership(std::string_view outbox, std::string_view what, const std::string& owner) {
  if (what == "lost") metrics_.fenced(outbox);
  log_.write(LogLevel::info, "lane ownership", {{"table", outbox}, {"what", what}, {"owner", owner}});
}

void LaneObserver::alarm(std::string_view outbox, const Error& error) {
  metrics_.alarmed(outbox, error.code);
  const std::string_view code = to_string(error.code);
  std::string key(outbox);
  key.append("\n").append(code).append("\n").append(error.message);
  const auto held_back_count = [&] {
    const std::lock_guard lock(mutex_);
    return alarms_.pass(key, clock_.monotonic());
  }();
  if (!held_back_count) return;
  std::vector<Field> fields = {{"table", outbox}, {"code", code}};
  if (!error.diagnostics.empty()) fields.emplace_back("diagnostics", cut(error.diagnostics, detail_bytes_max));
  if (*held_back_count > 0) fields.emplace_back("repeated", *held_back_count);
  log_.write(level_of(severity_of(error.code)), error.message, fields);
}

void LaneObserver::news(std::string_view outbox, std::span<const LaneNews> news) {
  metrics_.news(outbox, news);
  for (const LaneNews& each : news) write(log_, outbox, each);
}

void LaneObserver::replayed(std::string_view outbox, std::size_t count) {
  metrics_.replayed(count);
  log_.write(LogLevel::info, "deliveries replayed", {{"table", outbox}, {"count", count}});
}

void LaneObserver::saga_defined(std::string_view /*log*/, const std::string& definition) {
  metrics_.expect_saga(definition);
}

void LaneObserver::sagas(std::string_view log, std::span<const SagaNews> news) {
  metrics_.sagas(news);
  for (const SagaNews& each : news) {
    log_.write(level_of(each.kind), "saga",
               {{"table", log},
                {"what", to_string(each.kind)},
                {"definition", each.definition},
                {"tenant", each.tenant_id},
                {"execution", each.id},
                {"step", each.step},
                {"code", each.code}});
  }
}

void LaneObserver::saga_figures(std::string_view /*log*/, const SagaFigures& figures) {
  metrics_.saga_figures(figures);
}

/// What goes well is counted; each trouble has a line.
void LaneObserver::source(std::string_view outbox, std::string_view source, const SourceNews& news) {
  using Kind = SourceNews::Kind;
  metrics_.source(outbox, source, news);
  if (news.kind == Kind::taken || news.kind == Kind::repeated || news.kind == Kind::behind) return;
  log_.write(news.kind == Kind::reads ? LogLevel::info : LogLevel::warning, "source",
             {{"table", outbox},
              {"source", source},
              {"what", to_string(news.kind)},
              {"count", news.count},
              {"code", news.code},
              {"error", news.error}});
}

}  // namespace makegood::observe
