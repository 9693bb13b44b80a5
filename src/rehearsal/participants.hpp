// Participants that call nobody: they answer as a script says, and know what is done.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/saga/record.hpp"
#include "makegood/spi/transport.hpp"

namespace makegood::rehearsal {

/// How an attempt ends that does not go well.
enum class Way {
  error,    ///< Certainly not done, and it will not be.
  refusal,  ///< Certainly not done; it may be tried again.
  unknown,  ///< Done, and nobody heard of it.
  crash,    ///< Done, and its owner dies before he hears of it.
};
std::string_view to_string(Way way);

/// What the definition calls a step that is repeated.
std::string defined_name(const std::string& step);

inline constexpr std::uint32_t to_the_end = std::numeric_limits<std::uint32_t>::max();
inline constexpr std::string_view simulated_code = "SIMULATED";

/// These attempts of a step, counted over all rounds from 1, end so.
struct Fault {
  std::string step;
  core::Direction direction = core::Direction::action;
  std::uint32_t from = 1;
  std::uint32_t to = 1;
  Way way = Way::error;
  std::string code = std::string(simulated_code);
};

struct Script {
  std::vector<Fault> faults = {};                   ///< The first that fits counts.
  std::map<std::string, std::string> outputs = {};  ///< By step: JSON.
};

class Participants {
 public:
  explicit Participants(Script script) : script_(std::move(script)) {}

  /// Answers a call, or does not: then the owner has died.
  std::optional<Reply> answer(const StepCall& call);
  bool take_crash() { return std::exchange(has_crashed_, false); }

  /// Whether any attempt has ended as this fault says.
  bool has_met(const Fault& fault) const { return met_.contains(index_of(fault)); }
  bool has_called(const std::string& step, core::Direction direction) const {
    return counts_.contains({step, direction});
  }
  /// Steps whose effect is there.
  const std::set<std::string>& done() const { return done_; }
  /// In the order in which they were undone.
  const std::vector<std::string>& undone() const { return undone_; }
  std::size_t calls() const { return calls_; }

 private:
  const Fault* fault_of(const std::string& step, core::Direction direction, std::uint32_t number);
  std::size_t index_of(const Fault& fault) const;
  void take_effect(const std::string& step, core::Direction direction);
  Reply ok(const std::string& step, core::Direction direction) const;

  const Script script_;
  std::map<std::pair<std::string, core::Direction>, std::uint32_t> counts_;
  std::set<std::size_t> met_;
  std::set<std::string> done_;
  std::vector<std::string> undone_;
  std::size_t calls_ = 0;
  bool has_crashed_ = false;
};

/// Leads every call of one scheme to them.
class FakeTransport final : public Transport {
 public:
  FakeTransport(std::string scheme, Participants& participants)
      : scheme_(std::move(scheme)), participants_(participants) {}
  TransportFeatures features() const override { return {.scheme = scheme_}; }
  void send(std::vector<Delivery> deliveries, Completions& done) override;
  void drain(Completions& /*done*/, Duration /*grace*/) override {}

 private:
  const std::string scheme_;
  Participants& participants_;
};

}  // namespace makegood::rehearsal
