// Secrets by reference: `file:PATH` or `env:NAME`. Read when used, and again when the file has changed.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "makegood/clock.hpp"
#include "makegood/result.hpp"

namespace makegood::net {

/// A text that cannot be printed or compared by accident; whoever needs it says so.
class Secret {
 public:
  explicit Secret(std::string text) : text_(std::move(text)) {}
  const std::string& reveal() const { return text_; }

 private:
  std::string text_;
};

/// `file:/…` or `env:NAME`; for tenants only below one of `allowed` (the beginnings of references). The error does not
/// repeat what was given: it may be the secret itself.
Result<> check_reference(std::string_view reference);
bool is_allowed(std::string_view reference, std::span<const std::string> allowed);
/// The file that a setting names, as a path or as `file:PATH`; empty if it is something else.
std::string_view path_of(std::string_view reference);

/// One thread at a time per object.
class Secrets {
 public:
  using Places = std::vector<std::string>;
  using Warn = std::function<void(std::string_view sentence)>;

  explicit Secrets(const Clock& clock, Warn warn = {}) : clock_(clock), warn_(std::move(warn)) {}
  /// The value without a newline at its end, of a file that really is in one of `places`. A changed file is noticed
  /// within a few seconds; while it cannot be read, as when it is being replaced, the last value is used for a minute.
  Result<Secret> read(const std::string& reference, const Places& places);

 private:
  struct Kept {
    std::string text;
    MonotonicTime looked_at;
    MonotonicTime read_at;  ///< When it could last be read.
    Places places = {};     ///< For whom it was read: another destination may not have it.
  };
  Result<Kept*> look_up(const std::string& reference, const Places& places);
  Result<std::string> read_text(const std::string& reference, const Places& places);
  Result<std::string> read_file(const std::string& reference, const Places& places);
  void warn_of(const std::string& reference, unsigned mode);

  const Clock& clock_;
  const Warn warn_;
  std::map<std::string, Kept> kept_;
  std::set<std::string> warned_;
};

}  // namespace makegood::net
