// The start of an execution in parts, so that a server can put many starts into one commit between them, and wait for
// many outcomes at once.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "api/api.hpp"
#include "api/call.hpp"
#include "makegood/spi/saga_store.hpp"

namespace makegood::api {

struct SagaStartCall {
  NewMessage row = {};
  std::int64_t version = 0;  ///< Of the definition; 0: the newest.
  Duration wait = {};        ///< For the outcome, at most; 0: it is answered at once.
};

/// Nothing: the call is not a start, or its body is no JSON; then Api::handle answers. Every mistake of the body in one
/// error; then what the rules of the api_context say. Whether there is such a definition is not asked here.
std::optional<Result<SagaStartCall>> decode_saga_start(const Call& call, const ApiContext& api_context);
/// Errc::not_found, with what may be meant.
Result<> check_saga_definition(SagaView& sagas, const SagaStartCall& call);
/// Of a start that waits for nothing.
Answer saga_start_answer(SagaView& sagas, const SagaStartCall& call, const Enqueued& appended);
/// Of one that was not stored.
Answer saga_start_problem(const SagaStartCall& call, const Error& error);
/// All that is said of one that is completed.
struct SagaCompleted {
  std::string tenant_id;
  std::string id;
  std::string definition;
  std::string output;
};
Answer saga_completed_answer(const SagaCompleted& completed);
/// Of one that has ended.
Answer saga_end_answer(SagaView& sagas, const SagaEnd& end);
/// What has become of it until now.
Answer saga_standing(SagaView& sagas, Sequence execution);

/// Where executions are started and looked at: the owner's side for what many calls share, the other for the rest.
struct SagaAccess {
  std::unique_ptr<SagaStore> store;
  std::unique_ptr<SagaView> view;
};
/// Of the store of this process; the error says how its tables are made.
Result<SagaAccess> open_sagas(const ApiContext& api_context);
Result<std::unique_ptr<SagaView>> open_sagas_view(const ApiContext& api_context);

}  // namespace makegood::api
