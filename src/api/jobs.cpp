#include "api/jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

namespace makegood::api {
namespace {

bool is_running(const JobView& view) {
  return view.state == JobView::State::running || view.state == JobView::State::paused;
}

Error no_such_job(std::int64_t id) {
  return {Errc::not_found, fmt::format("There is no job {}; jobs are forgotten with their process.", id)};
}

}  // namespace

std::string_view to_string(JobView::State state) {
  switch (state) {
    case JobView::State::running:
      return "running";
    case JobView::State::paused:
      return "paused";
    case JobView::State::done:
      return "done";
    case JobView::State::cancelled:
      return "cancelled";
    case JobView::State::failed:
      return "failed";
  }
  std::unreachable();
}

Result<JobView> Jobs::start(JobWish wish) {
  std::vector<std::unique_ptr<Job>> ended;  // Joined when the lock is gone.
  const std::lock_guard lock(mutex_);
  const auto running = std::ranges::count_if(jobs_, [](const auto& job) { return is_running(job->view); });
  if (static_cast<std::size_t>(running) >= options_.running_max) {
    return Error{Errc::conflict,
                 fmt::format("{} jobs are running, and no more may; wait for one or cancel it.", running)};
  }
  ended = superfluous();
  Job& job = *jobs_.emplace_back(std::make_unique<Job>());
  job.view.id = ++last_id_;
  job.view.wish = std::move(wish);
  job.view.started_at = system_clock().now();
  job.thread = std::jthread([this, &job](const std::stop_token& stop) { run(job, stop); });
  return job.view;
}

void Jobs::run(Job& job, const std::stop_token& stop) {
  const JobWish wish = [&] {
    const std::lock_guard lock(mutex_);
    return job.view.wish;
  }();
  const auto tell = [&](const BulkProgress& progress) {
    const std::lock_guard lock(mutex_);
    job.view.progress = progress;
  };
  const auto ended = wish.run({stop, job.is_paused}, std::nullopt, tell);
  const std::lock_guard lock(mutex_);
  job.view.ended_at = system_clock().now();
  job.view.state = stop.stop_requested() ? JobView::State::cancelled : JobView::State::done;
  if (ended) return;
  job.view.state = JobView::State::failed;
  job.view.error = ended.error().message;
}

std::vector<JobView> Jobs::list() {
  const std::lock_guard lock(mutex_);
  std::vector<JobView> views;
  for (const auto& job : jobs_ | std::views::reverse) views.push_back(job->view);
  return views;
}

Result<JobView> Jobs::find(std::int64_t id) {
  const std::lock_guard lock(mutex_);
  const Job* job = at(id);
  if (job == nullptr) return no_such_job(id);
  return job->view;
}

Result<JobView> Jobs::cancel(std::int64_t id) {
  const std::lock_guard lock(mutex_);
  Job* job = at(id);
  if (job == nullptr) return no_such_job(id);
  job->thread.request_stop();
  JobView view = job->view;
  if (is_running(view)) view.state = JobView::State::cancelled;
  return view;
}

Result<JobView> Jobs::pause(std::int64_t id) { return let_stand(id, JobView::State::running, JobView::State::paused); }

Result<JobView> Jobs::resume(std::int64_t id) { return let_stand(id, JobView::State::paused, JobView::State::running); }

Result<JobView> Jobs::let_stand(std::int64_t id, JobView::State from, JobView::State to) {
  const std::lock_guard lock(mutex_);
  Job* job = at(id);
  if (job == nullptr) return no_such_job(id);
  if (job->view.state != from) return Error{Errc::conflict, fmt::format("The job is {}.", to_string(job->view.state))};
  *job->is_paused = to == JobView::State::paused;
  job->view.state = to;
  return job->view;
}

void Jobs::stop() {
  std::deque<std::unique_ptr<Job>> ending;
  {
    const std::lock_guard lock(mutex_);
    ending = std::exchange(jobs_, {});
  }
  for (const auto& job : ending) job->thread.request_stop();
}

Jobs::Job* Jobs::at(std::int64_t id) {
  const auto found = std::ranges::find_if(jobs_, [&](const auto& job) { return job->view.id == id; });
  return found == jobs_.end() ? nullptr : found->get();
}

std::vector<std::unique_ptr<Jobs::Job>> Jobs::superfluous() {
  std::vector<std::unique_ptr<Job>> ended;
  auto ended_count =
      static_cast<std::size_t>(std::ranges::count_if(jobs_, [](const auto& job) { return !is_running(job->view); }));
  for (auto job = jobs_.begin(); job != jobs_.end() && ended_count > options_.kept_max;) {
    if (is_running((*job)->view)) {
      ++job;
      continue;
    }
    ended.push_back(std::move(*job));
    job = jobs_.erase(job);
    --ended_count;
  }
  return ended;
}

}  // namespace makegood::api
