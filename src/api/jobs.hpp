// Long work that goes on after its call was answered. A job is forgotten with its process; what it has asked for is
// not: each replay is a request of its own in the store.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "api/replay.hpp"
#include "makegood/result.hpp"

namespace makegood::api {

/// What a job is about, and how it is carried out.
struct JobWish {
  std::string_view kind;  ///< `replay` or `saga`.
  std::string verb = {};
  std::string outbox = {};
  std::string filter = {};  ///< JSON.
  std::string operator_name = {};
  std::string reason = {};
  std::function<Result<>(const BulkControl&, std::optional<Duration> answer_wait, const TellProgress&)> run = {};
};
JobWish job_of(ReplayWish wish);

struct JobView {
  enum class State { running, paused, done, cancelled, failed };
  std::int64_t id = 0;
  JobWish wish = {};
  State state = State::running;
  BulkProgress progress = {};
  TimePoint started_at = {};
  std::optional<TimePoint> ended_at = {};
  std::string error = {};
};
std::string_view to_string(JobView::State state);

struct JobsOptions {
  std::size_t running_max = 4;
  std::size_t kept_max = 100;  ///< Of those that have ended.
};

/// Thread-safe.
class Jobs {
 public:
  explicit Jobs(JobsOptions options = {}) : options_(options) {}
  ~Jobs() { stop(); }
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  /// Errc::conflict when too many are running.
  Result<JobView> start(JobWish wish);
  /// The newest first.
  std::vector<JobView> list();
  Result<JobView> find(std::int64_t id);
  /// One that has ended stays as it is.
  Result<JobView> cancel(std::int64_t id);
  /// Asks for nothing more until it is resumed.
  Result<JobView> pause(std::int64_t id);
  Result<JobView> resume(std::int64_t id);
  /// Ends all of them, within a moment.
  void stop();

 private:
  struct Job {
    JobView view;
    std::shared_ptr<std::atomic<bool>> is_paused = std::make_shared<std::atomic<bool>>(false);
    std::jthread thread = {};  // Last: it uses the others.
  };

  void run(Job& job, const std::stop_token& stop);
  Job* at(std::int64_t id);
  Result<JobView> let_stand(std::int64_t id, JobView::State from, JobView::State to);
  /// Takes the oldest that have ended out; they are to be joined without the lock.
  std::vector<std::unique_ptr<Job>> superfluous();

  const JobsOptions options_;

  // Guarded by mutex_; of a job's thread only its stop source is touched.
  std::mutex mutex_;
  std::deque<std::unique_ptr<Job>> jobs_;
  std::int64_t last_id_ = 0;
};

}  // namespace makegood::api
