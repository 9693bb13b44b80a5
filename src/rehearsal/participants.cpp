#include "rehearsal/participants.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "core/saga/repetition.hpp"

namespace makegood::rehearsal {

std::string_view to_string(Way way) {
  constexpr std::array<std::string_view, 4> words = {"error", "refusal", "unknown", "crash"};
  return words[static_cast<std::size_t>(way)];
}

std::string defined_name(const std::string& step) { return step.substr(0, step.find('.')); }

std::optional<Reply> Participants::answer(const StepCall& call) {
  const auto direction = core::direction_from(call.direction).value_or(core::Direction::action);
  ++calls_;
  const Fault* fault = fault_of(call.step, direction, ++counts_[{call.step, direction}]);
  if (fault == nullptr) {
    take_effect(call.step, direction);
    return ok(call.step, direction);
  }
  met_.insert(index_of(*fault));
  const std::string detail = "as it was told to";
  switch (fault->way) {
    case Way::error:
      return Reply::said(Outcome::fail(fault->code, detail));
    case Way::refusal:
      return Reply::said(Outcome::retry(fault->code, detail));
    case Way::unknown:
      take_effect(call.step, direction);
      return Reply::silent(std::string(makegood::to_string(Errc::timeout)), detail);
    case Way::crash:
      take_effect(call.step, direction);
      has_crashed_ = true;
      return std::nullopt;
  }
  return std::nullopt;
}

/// Of a repeated step the first element has the fault.
const Fault* Participants::fault_of(const std::string& step, core::Direction direction, std::uint32_t number) {
  const auto fits = [&](const Fault& fault) {
    const bool is_it = fault.step == step || core::item_name(fault.step, 0) == step;
    return is_it && fault.direction == direction && number >= fault.from && number <= fault.to;
  };
  const auto found = std::ranges::find_if(script_.faults, fits);
  return found == script_.faults.end() ? nullptr : &*found;
}

std::size_t Participants::index_of(const Fault& fault) const {
  const auto is_it = [&](const Fault& other) {
    return other.step == fault.step && other.direction == fault.direction && other.from == fault.from &&
           other.way == fault.way;
  };
  return static_cast<std::size_t>(std::ranges::find_if(script_.faults, is_it) - script_.faults.begin());
}

void Participants::take_effect(const std::string& step, core::Direction direction) {
  if (direction == core::Direction::action) done_.insert(step);
  if (direction != core::Direction::compensation || done_.erase(step) == 0) return;
  undone_.push_back(step);
}

Reply Participants::ok(const std::string& step, core::Direction direction) const {
  const bool is_absent = direction == core::Direction::check && !done_.contains(step);
  if (is_absent) return Reply::said(Outcome::fail("NOT_DONE"));
  Reply reply{.verdict = Outcome::Kind::ok};
  const auto output = script_.outputs.find(defined_name(step));
  if (output == script_.outputs.end() || direction == core::Direction::compensation) return reply;
  reply.content = std::make_shared<const Reply::Content>(Reply::Content{.body = output->second});
  return reply;
}

void FakeTransport::send(std::vector<Delivery> deliveries, Completions& done) {
  std::vector<Report> reports;
  for (const Delivery& delivery : deliveries) {
    if (auto reply = participants_.answer(*delivery.call)) reports.push_back({delivery.ticket, *std::move(reply)});
  }
  done.post(std::move(reports));
}

}  // namespace makegood::rehearsal
