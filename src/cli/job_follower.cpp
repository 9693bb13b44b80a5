#include "cli/job_follower.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "cli/json_view.hpp"
#include "cli/progress.hpp"

namespace makegood::cli {
namespace {

constexpr auto job_interval = std::chrono::milliseconds(100);

class JobFollower {
 public:
  JobFollower(Client& client, Duration patience) : client_(client), patience_(patience) {}

  Result<std::string> follow(std::string job) {
    const Progress progress(text_at(MAKEGOOD_TRY(parse_answer(job)), "verb"));
    while (true) {
      const auto view = MAKEGOOD_TRY(parse_answer(job));
      const std::int64_t answered = number_at(view, "done") + number_at(view, "refused");
      progress.show(answered, number_at(view, "total"));
      const std::string state = text_at(view, "state");
      const bool goes_on = state == "running" || state == "paused";
      if (!goes_on || (state == "running" && is_in_vain(view, answered))) return job;
      std::this_thread::sleep_for(job_interval);
      job = MAKEGOOD_TRY(client_.get(fmt::format("/api/jobs/{}", number_at(view, "job"))));
    }
  }

 private:
  bool is_in_vain(const Json& view, std::int64_t answered) {
    const MonotonicTime now = system_clock().monotonic();
    if (answered != answered_ || number_at(view, "asked") < number_at(view, "total")) last_news_ = now;
    answered_ = answered;
    return now - last_news_ > patience_;
  }

  Client& client_;
  const Duration patience_;
  std::int64_t answered_ = -1;
  MonotonicTime last_news_ = system_clock().monotonic();
};

void print_job(const Json& job, const JobTexts& texts) {
  const std::int64_t open = number_at(job, "asked") - number_at(job, "done") - number_at(job, "refused");
  fmt::print("{} of {} {}", number_at(job, "done"), number_at(job, "total"), texts.done);
  if (number_at(job, "refused") > 0) fmt::print(", {} had changed meanwhile", number_at(job, "refused"));
  fmt::print(".\n");
  if (open > 0) {
    fmt::print("{} are asked for, and no owner has carried them out yet: see 'makegood status'.\n", open);
  }
}

}  // namespace

Result<std::string> follow_job(Client& client, Duration patience, std::string job) {
  return JobFollower(client, patience).follow(std::move(job));
}

Result<> end_of_job(const Program& program, const JobTexts& texts, const std::string& job) {
  if (program.as_json) fmt::print("{}\n", job);
  const auto view = MAKEGOOD_TRY(parse_answer(job));
  if (!program.as_json) print_job(view, texts);
  if (text_at(view, "state") != "failed") return {};
  return Error{Errc::store_unavailable,
               fmt::format("{}: {} Ask again for what is left.", texts.again, text_at(view, "error"))};
}

}  // namespace makegood::cli
