// What the sources of all brokers do alike as a process knows them: settings that are read, checked and stored.
#pragma once

#include <fmt/format.h>

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/mistakes.hpp"
#include "base/sources.hpp"
#include "makegood/brokers.hpp"
#include "transports/broker/target.hpp"

namespace makegood::broker {

inline constexpr SettingFlag begin_flag = {"--begin", "begin", SettingFlag::Form::text, "WORD",
                                           "Where nothing was read yet: earliest (usual) or latest"};
inline constexpr auto begin_words = std::to_array<std::string_view>({"earliest", "latest"});

/// By its rules: `Settings`, `scheme`, `least`, `flags`, `decode`, `check` (adds what is wrong with them), `access` (as
/// this process would use it) and `open`.
template <class Rules>
class ReadingKind final : public SourceKind {
 public:
  explicit ReadingKind(BrokerOptions options) : options_(std::move(options)) {}

  std::string_view scheme() const override { return Rules::scheme; }
  std::string_view least() const override { return Rules::least; }
  std::span<const SettingFlag> flags() const override { return Rules::flags; }

  Result<std::string> check(const std::string& name, std::string_view settings) const override {
    const auto read = MAKEGOOD_TRY(Rules::decode(settings));
    MAKEGOOD_TRY(access_of(name, read));
    return encode(read);
  }

  Result<std::unique_ptr<Source>> open(const std::string& name, std::string_view settings,
                                       const Clock& clock) const override {
    auto read = MAKEGOOD_TRY(Rules::decode(settings));
    Access access = MAKEGOOD_TRY(access_of(name, read));
    return Rules::open(std::move(read), std::move(access), options_, clock);
  }

 private:
  Result<Access> access_of(const std::string& name, const typename Rules::Settings& settings) const {
    Mistakes mistakes;
    Rules::check(settings, mistakes);
    if (!mistakes.empty()) return mistakes.as_error(fmt::format("The source {}", name), Errc::config_invalid);
    return Rules::access(Destination{.name = name}, settings, options_);
  }

  const BrokerOptions options_;
};

}  // namespace makegood::broker
