// Replays by filter, and the jobs that carry them out.
#include <algorithm>
#include <array>

#include "api/asking.hpp"
#include "api/job_answers.hpp"
#include "api/operation.hpp"
#include "api/paging.hpp"

namespace makegood::api {
namespace {

void put_jobs(Writer& writer, const std::vector<JobView>& jobs) { put_list(writer, "Job", jobs, put_job); }

struct ReplayCall {
  ReplayWish wish = {};
  bool is_dry = false;
};

ReplayCall replay_in(Fields& body) {
  ReplayCall call;
  ReplayWish& wish = call.wish;
  body.require("filter");
  body.object(
      "filter", "DeadFilter", [&](Fields& fields) { wish.filter = dead_filter(fields); },
      "An empty one means all dead letters.");
  wish.reason = reason_in(body);
  const BulkPace pace = pace_in(body);
  wish.rate_per_second = pace.rate_per_second;
  wish.limit = pace.limit;
  call.is_dry = body.flag("dry_run");
  return call;
}

Result<Jobs*> jobs_of(const RoutedCall& routed) {
  Jobs* jobs = routed.connections.api_context().jobs;
  if (jobs == nullptr) return Error{Errc::not_found, "Only a server has jobs."};
  return jobs;
}

Result<Answer> replay_by_filter(const RoutedCall& routed) {
  ReplayCall call = MAKEGOOD_TRY(read_body(routed.call, replay_in));
  call.wish.store_url = routed.connections.api_context().store_url;
  call.wish.outbox = routed.outbox();
  call.wish.operator_name = operator_of(routed.call);
  OutboxView& view = *MAKEGOOD_TRY(routed.connections.view(routed.outbox()));
  if (call.is_dry) {
    return answer_of(MAKEGOOD_TRY(count_for(view, call.wish)), put_count);
  }
  return begin_job(routed, job_of(std::move(call.wish)));
}

Result<Answer> pause_job(const RoutedCall& routed) {
  MAKEGOOD_TRY(read_body(routed.call, nothing_more));
  const std::int64_t id = MAKEGOOD_TRY(number_in_path(routed.path.at("job"), "job"));
  Jobs& jobs = *MAKEGOOD_TRY(jobs_of(routed));
  return answer_of(MAKEGOOD_TRY(jobs.pause(id)), put_job);
}

Result<Answer> resume_job(const RoutedCall& routed) {
  MAKEGOOD_TRY(read_body(routed.call, nothing_more));
  const std::int64_t id = MAKEGOOD_TRY(number_in_path(routed.path.at("job"), "job"));
  Jobs& jobs = *MAKEGOOD_TRY(jobs_of(routed));
  return answer_of(MAKEGOOD_TRY(jobs.resume(id)), put_job);
}

Result<Answer> list_jobs(const RoutedCall& routed) {
  Jobs* jobs = routed.connections.api_context().jobs;
  return answer_of(jobs == nullptr ? std::vector<JobView>() : jobs->list(), put_jobs);
}

Result<Answer> show_job(const RoutedCall& routed) {
  const std::int64_t id = MAKEGOOD_TRY(number_in_path(routed.path.at("job"), "job"));
  Jobs& jobs = *MAKEGOOD_TRY(jobs_of(routed));
  return answer_of(MAKEGOOD_TRY(jobs.find(id)), put_job);
}

Result<Answer> cancel_job(const RoutedCall& routed) {
  const std::int64_t id = MAKEGOOD_TRY(number_in_path(routed.path.at("job"), "job"));
  Jobs& jobs = *MAKEGOOD_TRY(jobs_of(routed));
  return answer_of(MAKEGOOD_TRY(jobs.cancel(id)), put_job);
}

constexpr auto about_jobs = std::to_array<Operation>({
    {.id = "replay_by_filter",
     .method = "POST",
     .path = "/api/outboxes/{outbox}/dead/replay",
     .role = Role::operate,
     .handler = replay_by_filter,
     .tag = "dead",
     .summary = "Send dead letters again, all that a filter names",
     .description =
         R"(With `dry_run` only counts them. Otherwise a job asks for each replay, at the given rate;
`GET /api/jobs/{job}` tells how far it is. What dies after the job has begun is not part of it.
)",
     .body = {"ReplayByFilter", reads<replay_in>, {R"({"filter": {"destination": "http:billing", "code": "TX.TIMEOUT"},
                   "reason": "The outage is over.", "rate_per_second": 50})"}},
     .replies = {Reply{200, "The count of a dry run; or, on a store without a server, the job as it ended.",
                       "Job|Count", writes<put_count>},
                 Reply{202, "The job has begun.", "Job", writes<put_job>}},
     .also = {409, 507}},
    shows("list_jobs", "/api/jobs", "dead", list_jobs,
          "Requests by filter that this process has begun, the newest first",
          {200, "All that are remembered; there is no second page.", "JobList", writes<put_jobs>}),
    shows("show_job", "/api/jobs/{job}", "dead", show_job, "How far a job is",
          {200, "The job.", "Job", writes<put_job>}),
    {.id = "pause_job",
     .method = "POST",
     .path = "/api/jobs/{job}/pause",
     .role = Role::operate,
     .handler = pause_job,
     .tag = "dead",
     .summary = "Ask for nothing more until the job is resumed",
     .body = {"NothingMore", reads<nothing_more>, {"{}"}},
     .replies = {Reply{200, "The job.", "Job", writes<put_job>}},
     .also = {409}},
    {.id = "resume_job",
     .method = "POST",
     .path = "/api/jobs/{job}/resume",
     .role = Role::operate,
     .handler = resume_job,
     .tag = "dead",
     .summary = "Go on with a job that is paused",
     .body = {"NothingMore", reads<nothing_more>, {"{}"}},
     .replies = {Reply{200, "The job.", "Job", writes<put_job>}},
     .also = {409}},
    {.id = "cancel_job",
     .method = "DELETE",
     .path = "/api/jobs/{job}",
     .role = Role::operate,
     .handler = cancel_job,
     .tag = "dead",
     .summary = "End a job; what it has asked for is still carried out",
     .replies = {Reply{200, "The job. One that has ended stays as it is.", "Job", writes<put_job>}}},
});

}  // namespace

void put_job(Writer& writer, const JobView& job) {
  put(writer, "job", job.id, "0 where there is no server to ask again.");
  put_one_of(writer, "kind", job.wish.kind, {"replay", "saga"});
  put(writer, "verb", job.wish.verb, "What is asked for each.");
  put_or_null(writer, "outbox", job.wish.outbox, "Of a replay.");
  put_json(writer, "filter", job.wish.filter.empty() ? "{}" : std::string_view(job.wish.filter), Schema("object"),
           "As it was asked for.");
  put(writer, "operator", job.wish.operator_name);
  put_or_null(writer, "reason", job.wish.reason);
  put_word(writer, "state", job.state, JobView::State::failed);
  put(writer, "total", job.progress.total, "How many there were when it began.");
  put(writer, "asked", job.progress.asked, "How many it has asked for.");
  put(writer, "done", job.progress.done, "How many the owner has carried out.");
  put(writer, "refused", job.progress.refused, "How many the owner has refused: they had changed meanwhile.");
  put(writer, "started_at", job.started_at);
  put(writer, "ended_at", job.ended_at);
  put_or_null(writer, "error", job.error);
}

void put_count(Writer& writer, const std::size_t& count) { put(writer, "count", count); }

BulkPace pace_in(Fields& body) {
  constexpr RealRange rate_range{1e-6, 100'000};
  constexpr IntegerRange limit_range{1, std::numeric_limits<std::int64_t>::max()};
  BulkPace pace{.rate_per_second =
                    body.real("rate_per_second", rate_range, "As fast as it goes if it is left out.").value_or(0)};
  const auto limit = body.integer("limit", limit_range, "At most so many.");
  if (limit) pace.limit = static_cast<std::size_t>(*limit);
  return pace;
}

/// Without a server it ends within the call: there is no process that would go on with it.
Result<Answer> begin_job(const RoutedCall& routed, JobWish wish) {
  if (Jobs* jobs = routed.connections.api_context().jobs; jobs != nullptr) {
    return answer_of(MAKEGOOD_TRY(jobs->start(std::move(wish))), put_job, 202);
  }
  JobView job{.wish = std::move(wish), .started_at = system_clock().now()};
  const auto tell = [&](const BulkProgress& progress) { job.progress = progress; };
  MAKEGOOD_TRY(job.wish.run({}, routed.connections.api_context().answer_wait, tell));
  job.state = JobView::State::done;
  job.ended_at = system_clock().now();
  return answer_of(job, put_job);
}

JobWish job_of(ReplayWish wish) {
  return {.kind = "replay",
          .verb = "replay",
          .outbox = wish.outbox,
          .filter = object_answer(200, [&](Writer& to) { put_filter(to, wish.filter); }).body,
          .operator_name = wish.operator_name,
          .reason = wish.reason,
          .run = [wish](const BulkControl& control, std::optional<Duration> answer_wait, const TellProgress& tell) {
            return replay_dead(wish, control, answer_wait, tell);
          }};
}

Operations job_operations() { return about_jobs; }

}  // namespace makegood::api
