#include "cli/serve_apply.hpp"

#include <condition_variable>
#include <mutex>

#include "cli/apply.hpp"

namespace makegood::cli {
namespace {

constexpr Duration apply_again_after = std::chrono::seconds(1);

void wait_unless_stopped(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, apply_again_after, [] { return false; });
}

}  // namespace

void apply_at_start(const ApplyAtStart& wanted, const api::Surroundings& surroundings, observe::Log& log,
                    const std::stop_token& stop) {
  if (wanted.paths.empty()) return;
  api::Api api(surroundings);
  const std::string only_outbox = surroundings.outboxes.size() == 1 ? surroundings.outboxes.front() : std::string();
  const HandleCall handle = [&](const api::Call& call) { return api.handle(call); };
  while (!stop.stop_requested()) {
    const auto lines = apply_files(wanted.paths, wanted.environment, only_outbox, handle);
    if (lines) {
      for (const std::string& line : *lines) log.write(LogLevel::info, "applied", {{"what", line}});
      return;
    }
    const Error& error = lines.error();
    log.write(LogLevel::error, "not applied",
              {{"code", to_string(error.code)}, {"error", error.message}, {"more", error.diagnostics}});
    if (!is_retryable(error.code)) return;
    wait_unless_stopped(stop);
  }
}

}  // namespace makegood::cli
