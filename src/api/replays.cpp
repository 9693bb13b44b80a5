// Replays by filter, and the jobs that carry them out.
#include <algorithm>

#include "api/asking.hpp"
#include "api/fields.hpp"
#include "api/handlers.hpp"
#include "api/jobs.hpp"
#include "api/paging.hpp"

namespace makegood::api {
namespace {

constexpr RealRange replay_rate_range{1e-6, 100'000};
constexpr IntegerRange replay_limit_range{1, std::numeric_limits<std::int64_t>::max()};

void put_job(Writer& writer, const JobView& job) {
  writer.StartObject();
  put(writer, "job", job.id);
  put(writer, "kind", "replay");
  put(writer, "outbox", job.wish.outbox);
  json::write_name(writer, "filter");
  put_filter(writer, job.wish.filter);
  put(writer, "operator", job.wish.operator_name);
  put_or_null(writer, "reason", job.wish.reason);
  put(writer, "state", to_string(job.state));
  put(writer, "total", job.progress.total);
  put(writer, "asked", job.progress.asked);
  put(writer, "done", job.progress.done);
  put(writer, "refused", job.progress.refused);
  put(writer, "started_at", job.started_at);
  put(writer, "ended_at", job.ended_at);
  put_or_null(writer, "error", job.error);
  writer.EndObject();
}

Answer job_answer(int status, const JobView& job) {
  rapidjson::StringBuffer text;
  Writer writer(text);
  put_job(writer, job);
  return {.status = status, .body = {text.GetString(), text.GetSize()}};
}

struct ReplayCall {
  ReplayWish wish;
  bool is_dry = false;
};

Result<ReplayCall> replay_in(const Question& question) {
  Mistakes mistakes;
  Fields body = Fields::of_object(question.call.body, mistakes);
  ReplayWish wish{.store_url = question.desk.surroundings().store_url,
                  .outbox = question.outbox(),
                  .operator_name = operator_of(question.call)};
  body.require("filter");
  if (const JsonValue* filter = body.object("filter")) {
    Fields fields = Fields::of_object(filter->source, mistakes, "filter.");
    wish.filter = dead_filter(fields);
    fields.refuse_the_rest();
  }
  wish.reason = body.text("reason", reason_rule);
  wish.rate_per_second = body.real("rate_per_second", replay_rate_range).value_or(0);
  const auto limit = body.integer("limit", replay_limit_range);
  if (limit) wish.limit = static_cast<std::size_t>(*limit);
  const bool is_dry = body.flag("dry_run");
  body.refuse_the_rest();
  if (!mistakes.empty()) return mistakes.as_error("The body");
  return ReplayCall{std::move(wish), is_dry};
}

/// Within the call: there is no process that would go on with it.
Result<Answer> replay_now(const Question& question, ReplayWish wish) {
  JobView job{.wish = std::move(wish), .started_at = system_clock().now()};
  const auto tell = [&](const ReplayProgress& progress) { job.progress = progress; };
  MAKEGOOD_TRY(replay_dead(job.wish, std::stop_token(), question.desk.surroundings().answer_wait, tell));
  job.state = JobView::State::done;
  job.ended_at = system_clock().now();
  return job_answer(200, job);
}

Result<Jobs*> jobs_of(const Question& question) {
  Jobs* jobs = question.desk.surroundings().jobs;
  if (jobs == nullptr) return Error{Errc::not_found, "Only a server has jobs."};
  return jobs;
}

}  // namespace

Result<Answer> replay_by_filter(const Question& question) {
  ReplayCall call = MAKEGOOD_TRY(replay_in(question));
  OutboxView& view = *MAKEGOOD_TRY(question.desk.view(question.outbox()));
  if (call.is_dry) {
    const std::size_t count = MAKEGOOD_TRY(count_for(view, call.wish));
    return object_answer(200, [&](Writer& writer) { put(writer, "count", count); });
  }
  Jobs* jobs = question.desk.surroundings().jobs;
  if (jobs == nullptr) return replay_now(question, std::move(call.wish));
  return job_answer(202, MAKEGOOD_TRY(jobs->start(std::move(call.wish))));
}

Result<Answer> list_jobs(const Question& question) {
  Jobs* jobs = question.desk.surroundings().jobs;
  return list_answer(jobs == nullptr ? std::vector<JobView>() : jobs->list(), {}, put_job);
}

Result<Answer> show_job(const Question& question) {
  const std::int64_t id = MAKEGOOD_TRY(number_in_path(question.path.at("job"), "job"));
  Jobs& jobs = *MAKEGOOD_TRY(jobs_of(question));
  return job_answer(200, MAKEGOOD_TRY(jobs.find(id)));
}

Result<Answer> cancel_job(const Question& question) {
  const std::int64_t id = MAKEGOOD_TRY(number_in_path(question.path.at("job"), "job"));
  Jobs& jobs = *MAKEGOOD_TRY(jobs_of(question));
  return job_answer(200, MAKEGOOD_TRY(jobs.cancel(id)));
}

}  // namespace makegood::api
