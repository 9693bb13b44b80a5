#include "stores/sql/barrier_table.hpp"

#include <fmt/format.h>

#include "base/json.hpp"

namespace makegood::relational {
namespace {

constexpr std::uint32_t barrier_rounds_max = 100'000;

Result<> check_key(const BarrierKey& key) {
  const bool is_named = !key.tenant_id.empty() && !key.execution.empty() && !key.step.empty();
  if (is_named && key.round > 0 && key.round <= barrier_rounds_max) return {};
  return Error{Errc::invalid,
               fmt::format("A barrier needs tenant, execution, step, and a round from 1 to {}.", barrier_rounds_max)};
}

/// In the form that other languages keep, too.
std::string failure_text(const SagaStepResult& result) {
  rapidjson::StringBuffer buffer;
  json::Writer writer(buffer);
  writer.StartObject();
  json::write(writer, "code", result.code);
  if (!result.detail.empty()) json::write(writer, "detail", result.detail);
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

Result<SagaStepResult> failure_from(std::string_view text) {
  const auto object = MAKEGOOD_TRY(json::parse_object(text));
  std::string code = MAKEGOOD_TRY(json::text_in(object, "code"));
  std::string detail = object.HasMember("detail") ? MAKEGOOD_TRY(json::text_in(object, "detail")) : std::string();
  return SagaStepResult::fail(std::move(code), std::move(detail));
}

}  // namespace

Result<SagaStepResult> BarrierTable::act(const BarrierKey& key, const BarrierEffect& effect) {
  MAKEGOOD_TRY(check_key(key));
  if (!MAKEGOOD_TRY(claim(key))) return stored(key);
  MAKEGOOD_TRY(database_.execute(sql_.before_effect));
  SagaStepResult result = effect();
  if (!is_definite(result)) return result;
  // What has failed leaves nothing behind, whatever it wrote before it found out.
  if (result.outcome == SagaOutcome::fail) MAKEGOOD_TRY(database_.execute(sql_.take_effect_back));
  MAKEGOOD_TRY(database_.execute(sql_.after_effect));
  MAKEGOOD_TRY(keep(key, result));
  return result;
}

Result<SagaStepResult> BarrierTable::compensate(const BarrierKey& key, const BarrierUndo& undo) {
  MAKEGOOD_TRY(check_key(key));
  MAKEGOOD_TRY(claim(key));
  std::vector<std::string> outputs;
  const RowsPtr rows =
      MAKEGOOD_TRY(database_.query(sql_.undo_rounds, key.tenant_id, key.execution, key.step, key.round));
  while (MAKEGOOD_TRY(rows->next())) outputs.emplace_back(rows->text(0));
  for (const std::string& output : outputs) {
    SagaStepResult result = undo(output);
    if (result.outcome == SagaOutcome::ok) continue;
    // It has no final answer but success: its rows go with the transaction, and it is asked again.
    if (result.outcome == SagaOutcome::fail) result.outcome = SagaOutcome::retry;
    return result;
  }
  return SagaStepResult::ok();
}

Result<bool> BarrierTable::claim(const BarrierKey& key) {
  const RowsPtr rows =
      MAKEGOOD_TRY(database_.query(sql_.claim_rounds, key.tenant_id, key.execution, key.step, key.round));
  bool is_ours = false;
  while (MAKEGOOD_TRY(rows->next())) is_ours = is_ours || rows->integer(0) == key.round;
  return is_ours;
}

Result<SagaStepResult> BarrierTable::stored(const BarrierKey& key) {
  const RowsPtr rows = MAKEGOOD_TRY(database_.one(sql_.find_round, key.tenant_id, key.execution, key.step, key.round));
  const std::string_view state = rows->text(0);
  if (state == "done") return SagaStepResult::ok(std::string(rows->text(1)));
  if (state == "failed") return failure_from(rows->text(1));
  return SagaStepResult::fail(std::string(compensated_code), "A compensation or a higher round was here before it.");
}

Result<> BarrierTable::keep(const BarrierKey& key, const SagaStepResult& result) {
  const bool is_done = result.outcome == SagaOutcome::ok;
  return database_.execute(sql_.keep_round, key.tenant_id, key.execution, key.step, key.round,
                           is_done ? "done" : "failed", is_done ? result.output : failure_text(result));
}

}  // namespace makegood::relational
