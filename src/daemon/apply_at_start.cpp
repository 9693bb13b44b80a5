#include "daemon/apply_at_start.hpp"

#include <condition_variable>
#include <mutex>

namespace makegood::daemon {
namespace {

constexpr Duration apply_again_after = std::chrono::seconds(1);

void wait_unless_stopped(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, apply_again_after, [] { return false; });
}

/// In the files. A refusal of the owner is none: another process may have changed something at the same moment.
bool is_mistake(Errc code) { return !is_retryable(code) && code != Errc::conflict && code != Errc::internal; }

}  // namespace

Result<> apply_at_start(const ApplyFiles& apply_files, const api::ApiContext& api_context, observe::Log& log,
                        const std::stop_token& stop) {
  api::Api api(api_context);
  const std::string only_outbox = api_context.outboxes.size() == 1 ? api_context.outboxes.front() : std::string();
  const HandleCall handle = [&](const api::Call& call) { return api.handle(call); };
  while (!stop.stop_requested()) {
    const auto lines = apply_files(only_outbox, handle);
    if (lines) {
      for (const std::string& line : *lines) log.write(LogLevel::info, "applied", {{"what", line}});
      return {};
    }
    const Error& error = lines.error();
    log.write(LogLevel::error, "not applied",
              {{"code", to_string(error.code)}, {"error", error.message}, {"more", error.diagnostics}});
    if (is_mistake(error.code)) return Error{Errc::config_invalid, error.message, error.diagnostics};
    wait_unless_stopped(stop);
  }
  return {};
}

}  // namespace makegood::daemon
