// Keys that executions wait for: which execution holds each, and how many wait.
#include <array>

#include "api/operation.hpp"
#include "api/paging.hpp"
#include "api/saga_view_json.hpp"

namespace makegood::api {
namespace {

struct BlockedKeyQuery {
  std::string tenant_id;
  std::size_t limit;
};
BlockedKeyQuery blocked_key_query(Fields& query) { return {query.text("tenant", tenant_rule), limit_of(query)}; }

void put_blocked_key(Writer& writer, const SagaBlockedKey& blocked) {
  put(writer, "tenantId", blocked.held.tenant_id);
  put(writer, "key", blocked.held.key);
  put(writer, "holder", blocked.held.id, "The execution that holds it; what has failed holds it until it is settled.");
  put_state(writer, blocked.holder_state);
  put(writer, "waiting", blocked.waiting_count, "How many executions wait for it.");
  put(writer, "next", blocked.first_waiting, "The execution that is begun then.");
  put(writer, "waitingSince", blocked.waiting_since, "When that one was started.");
}
void put_blocked_keys(Writer& writer, const std::vector<SagaBlockedKey>& keys) {
  put_list(writer, "SagaBlockedKey", keys, put_blocked_key);
}

Result<Answer> list_blocked_keys(const RoutedCall& routed) {
  const BlockedKeyQuery wanted = MAKEGOOD_TRY(read_query(routed.call, blocked_key_query));
  SagaView& sagas = *MAKEGOOD_TRY(routed.connections.sagas());
  return answer_of(MAKEGOOD_TRY(sagas.blocked_keys(wanted.tenant_id, wanted.limit)), put_blocked_keys);
}

constexpr auto about_keys = std::to_array<Operation>({
    shows("list_saga_keys", "/api/saga/keys", "sagas", list_blocked_keys,
          "Keys that executions wait for, and which execution holds each",
          {200, "By tenant and key, `limit` at most; there is no second page.", "SagaBlockedKeyList",
           writes<put_blocked_keys>},
          reads<blocked_key_query>),
});

}  // namespace

Operations saga_key_operations() { return about_keys; }

}  // namespace makegood::api
