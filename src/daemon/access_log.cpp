#include "daemon/access_log.hpp"

#include "base/milliseconds.hpp"

namespace makegood::daemon {
namespace {

constexpr int server_errors = 500;
constexpr int status_unauthorized = 401;
constexpr int status_forbidden = 403;

}  // namespace

void AccessLog::write(const server::Access& access) {
  if (access.status == status_unauthorized || access.status == status_forbidden) write_refusal(access);
  if (access.status < server_errors && !has_all_.load(std::memory_order_relaxed)) return;
  log_.write(access.status < server_errors ? LogLevel::info : LogLevel::warning, "call",
             {{"method", access.method},
              {"path", access.path},
              {"status", access.status},
              {"ms", in_milliseconds(access.duration)},
              {"request_id", access.request_id}});
}

/// Somebody tries a door: always worth a line.
void AccessLog::write_refusal(const server::Access& access) {
  const auto left_out = refusal_lines_.take(system_clock().monotonic());
  if (!left_out) return;
  log_.write(LogLevel::warning, "call refused",
             {{"method", access.method},
              {"path", access.path},
              {"status", access.status},
              {"request_id", access.request_id},
              {"refused_before_without_a_line", static_cast<std::int64_t>(*left_out)}});
}

}  // namespace makegood::daemon
