// What can fail returns a Result. The shape is that of std::expected, which clang 14 cannot parse from libstdc++ 12.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace makegood {

/// The closed set of error codes. Whether to try again and how loudly to tell are functions of the code.
enum class Errc {
  unavailable,             ///< The destination or provider could not be reached; nothing was done.
  timeout,                 ///< No answer in time; it may have been done.
  rejected,                ///< The destination refused for good.
  no_route,                ///< No destination is routed for this topic.
  expired,                 ///< The message was too old to be sent.
  dead_letter,             ///< The delivery has used up its attempts.
  cancelled,               ///< An operator said that it is not to be sent.
  poison,                  ///< Its owners died, again and again, while this was being sent alone.
  idempotent_hit,          ///< The key was already finished.
  idempotent_busy,         ///< The key is being worked on.
  idempotent_last_failed,  ///< The key failed before and failures are kept.
  idempotent_mismatch,     ///< The key was used with other content.
  payload_too_large,       ///< The payload is above the limit.
  not_compensable,         ///< The step cannot be undone.
  fenced,                  ///< Another owner wrote after us; nothing was written.
  in_doubt,                ///< The commit was sent, its outcome is unknown.
  not_in_transaction,      ///< The caller's transaction is gone, so the write would stand alone.
  validation_failed,       ///< The payload does not follow its schema.
  conflict,                ///< The same id was used with other content, or an operation is under way.
  store_unavailable,       ///< The store cannot be reached or is locked.
  store_full,              ///< The disk is full.
  store_corrupt,           ///< The store's file is damaged or is not ours.
  store_foreign,           ///< The store is a copy that has not been adopted.
  counter_behind,          ///< The store's counter is below the position.
  log_changed,             ///< Numbers of the log were drawn twice, or rows that were read are gone.
  schema_mismatch,         ///< The tables are missing, or from another version.
  invalid,                 ///< The request or argument is not valid.
  not_found,               ///< There is no such thing.
  config_invalid,          ///< The configuration has mistakes.
  internal,                ///< A broken promise of our own.
};

enum class Severity { info, warning, error, critical };

/// The stable text of a code, as in `TX.TIMEOUT`; it is what is stored, logged and documented.
std::string_view to_string(Errc code);
std::string_view to_string(Severity severity);
bool is_retryable(Errc code);
Severity severity_of(Errc code);

/// `message` is one public sentence that says what to do; `diagnostics` is for operators and logs. Neither holds a
/// payload.
struct Error {
  Errc code = Errc::internal;
  std::string message;
  std::string diagnostics = {};
  std::optional<Errc> cause = {};  ///< Of an outcome in doubt: what broke.
};

/// Tells the error and aborts: somebody wanted the value of a Result that has none.
[[noreturn]] void stop_without_value(const Error& error);

/// A value or an Error. `Result<>` carries no value.
template <class T = void>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const noexcept { return state_.index() == 0; }
  bool has_value() const noexcept { return state_.index() == 0; }

  T& operator*() & { return std::get<0>(state_); }
  const T& operator*() const& { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  T* operator->() { return &std::get<0>(state_); }
  const T* operator->() const { return &std::get<0>(state_); }

  /// For programs that cannot go on without it: an error is told, and the process aborts.
  T& value() & { return must_have_value(), **this; }
  const T& value() const& { return must_have_value(), **this; }
  T value() && { return must_have_value(), *std::move(*this); }
  T value_or(T other) const& { return has_value() ? **this : std::move(other); }
  T value_or(T other) && { return has_value() ? *std::move(*this) : std::move(other); }

  Error& error() & { return std::get<1>(state_); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  void must_have_value() const {
    if (!has_value()) stop_without_value(error());
  }
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : state_(std::move(error)) {}

  explicit operator bool() const noexcept { return state_.index() == 0; }
  bool has_value() const noexcept { return state_.index() == 0; }
  void operator*() const noexcept {}
  /// As of other results: an error is told, and the process aborts.
  void value() const {
    if (!has_value()) stop_without_value(error());
  }

  Error& error() & { return std::get<1>(state_); }
  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<std::monostate, Error> state_;
};

}  // namespace makegood

/// The value of a Result, or return its Error from the calling function. The only macro that steers control flow.
#define MAKEGOOD_TRY(expr)                                 \
  __extension__({                                          \
    auto&& try_result = (expr);                            \
    if (!try_result) return std::move(try_result).error(); \
    *std::move(try_result);                                \
  })
