#include "makegood/saga_barrier.hpp"

#include <fmt/format.h>

#include <charconv>

namespace makegood {
namespace {

constexpr std::string_view of_action = "action";

Result<std::uint32_t> round_in(std::string_view name, const std::string& digits) {
  std::uint32_t round = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), round);
  if (error == std::errc() && end == digits.data() + digits.size() && round > 0) return round;
  return Error{Errc::invalid, fmt::format("The request has no header {} with a number from 1 on.", name)};
}

}  // namespace

BarrierKey barrier_key(const SagaStepInput& input) {
  const StepCall& call = input.call;
  return {.tenant_id = std::string(input.tenant_id),
          .execution = call.execution,
          .step = call.step,
          .round = call.direction == of_action ? call.round : call.action_round};
}

Result<BarrierKey> barrier_key(const std::function<std::string(std::string_view name)>& header) {
  const std::string direction = header("makegood-direction");
  const std::string_view name = direction == of_action ? "makegood-round" : "makegood-action-round";
  BarrierKey key{.tenant_id = header("makegood-tenant"),
                 .execution = header("makegood-execution"),
                 .step = header("makegood-step"),
                 .round = MAKEGOOD_TRY(round_in(name, header(name)))};
  if (!direction.empty() && !key.tenant_id.empty() && !key.execution.empty() && !key.step.empty()) return key;
  return Error{Errc::invalid,
               "The request names no step: makegood-direction, -tenant, -execution or -step is missing."};
}

}  // namespace makegood
