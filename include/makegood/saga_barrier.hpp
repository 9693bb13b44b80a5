// The barrier of a participant: rows in the transaction that has the effect, so that a step is done once and undone
// once, however late, repeated or reordered its requests are. `sqlite_saga.hpp` and `postgres_saga.hpp` have it for a
// connection; docs/sagas.md has the same in plain SQL, over the same table.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "makegood/result.hpp"
#include "makegood/saga_step.hpp"

namespace makegood {

/// What a step is refused with once its compensation was here.
inline constexpr std::string_view compensated_code = "COMPENSATED";

/// The action that a request is about.
struct BarrierKey {
  std::string tenant_id = "default";
  std::string execution;
  std::string step;
  std::uint32_t round = 1;  ///< Of the action. A compensation names the highest round of its action.
  bool operator==(const BarrierKey&) const = default;
};

/// Of a function that is a step.
BarrierKey barrier_key(const SagaStepInput& input);
/// Of an HTTP request: `header` answers the value of a header, whose name is in lower case; empty: there is none.
Result<BarrierKey> barrier_key(const std::function<std::string(std::string_view name)>& header);

/// Has the effect, in the transaction that is open. It neither commits nor rolls back. What it has written is taken
/// back unless it answers ok; `retry`, `unknown` and exceptions take the whole transaction with them.
using BarrierEffect = std::function<SagaStepResult()>;
/// Takes back the effect of one action, which answered `output`.
using BarrierUndo = std::function<SagaStepResult(std::string_view output)>;

}  // namespace makegood
