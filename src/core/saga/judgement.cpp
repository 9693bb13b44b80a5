#include "core/saga/judgement.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "base/json_text.hpp"
#include "core/error_text.hpp"
#include "core/mutant.hpp"

namespace makegood::core {
namespace {

/// What the participant says of itself, if it is JSON.
struct Said {
  bool is_json = false;     ///< Whatever comes after may read it: valid UTF-8, and not nested too deeply.
  std::string code = {};    ///< `code` of an object.
  std::string status = {};  ///< `status` of an object: what a check found.
};

bool has_json(const Reply& reply) {
  return reply.content != nullptr && !reply.content->is_cut && json::is_json(reply.content->body);
}

Said read_body(const Reply& reply) {
  Said said;
  if (reply.content == nullptr || reply.content->is_cut) return said;
  said.is_json = has_json(reply);
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(reply.content->body.data(), reply.content->body.size());
  if (document.HasParseError() || !document.IsObject()) return said;
  const auto text_at = [&](const char* name) {
    const json::Value* value = json::member(document, name);
    return value != nullptr && value->IsString() ? json::text_of(*value) : std::string();
  };
  said.code = text_at("code");
  said.status = text_at("status");
  return said;
}

void fail(SagaAnswer& answer, SagaOutcome outcome, bool is_spent = true) {
  answer.outcome = outcome;
  answer.is_spent = is_spent;
}

/// A proxy, a deployment or expired credentials: not the participant's word, and to be mended by somebody.
void hold(SagaAnswer& answer) {
  answer.outcome = SagaOutcome::unknown;
  answer.is_spent = false;
  answer.is_held = true;
}

void succeed(const Reply& reply, const Said& said, SagaAnswer& answer) {
  answer.outcome = SagaOutcome::ok;
  const bool has_body = reply.content != nullptr && !reply.content->body.empty();
  if (!has_body) return;
  if (said.is_json && reply.content->body.size() <= output_bytes_max) {
    answer.output = reply.content->body;
    return;
  }
  answer.error = "The output is no JSON, or longer than 64 KiB: it was left out.";
}

void judge_check(const Reply& reply, const Said& said, SagaAnswer& answer) {
  answer.outcome = SagaOutcome::unknown;
  if (reply.status / 100 != 2) return;
  if (said.status == "done") succeed(reply, said, answer);
  if (said.status == "not_done") answer.outcome = SagaOutcome::fail;
}

/// The participant has refused, in its own words.
void judge_refusal(const Said& said, bool was_ever_ok, int status, SagaAnswer& answer) {
  answer.code = said.code;
  if (said.code == to_string(Errc::idempotent_busy)) return fail(answer, SagaOutcome::unknown);
  if (said.code == to_string(Errc::idempotent_mismatch)) {
    answer.is_manual = true;
    return fail(answer, SagaOutcome::unknown);
  }
  if (answer.direction != Direction::compensation) return fail(answer, SagaOutcome::fail);
  // Nothing there to undo; but if the action was answered ok, there was, and somebody has to look.
  const bool is_absent = status == 404 || status == 410;
  if (is_absent && !was_ever_ok) return fail(answer, SagaOutcome::ok);
  if (is_absent) return hold(answer);
  fail(answer, SagaOutcome::retry);
}

bool is_not_reached(int status) { return status == 429 || status == 502 || status == 503 || status == 504; }

void judge_status(const Reply& reply, bool was_ever_ok, SagaAnswer& answer) {
  const Said said = read_body(reply);
  if (answer.direction == Direction::check) return judge_check(reply, said, answer);
  const int status = reply.status;
  if (status == 202) {
    answer.is_accepted = true;
    return;
  }
  if (status / 100 == 2) return succeed(reply, said, answer);
  if (status == 429) return fail(answer, SagaOutcome::retry, false);
  if (status == 408 || status == 425) return fail(answer, SagaOutcome::unknown);
  if (status / 100 == 4 && !said.code.empty()) return judge_refusal(said, was_ever_ok, status, answer);
  if (status == 409) return fail(answer, SagaOutcome::unknown);
  if (status / 100 == 5) {
    const SagaOutcome outcome = is_mutant("saga_5xx_is_no") ? SagaOutcome::fail : SagaOutcome::unknown;
    return fail(answer, outcome, !is_not_reached(status));
  }
  hold(answer);
}

/// A function says itself what came of it.
void judge_verdict(const Reply& reply, SagaAnswer& answer) {
  switch (*reply.verdict) {
    case Outcome::Kind::ok:
      return succeed(reply, {.is_json = has_json(reply)}, answer);
    case Outcome::Kind::fail:
    case Outcome::Kind::gone:
      return fail(answer, answer.direction == Direction::compensation ? SagaOutcome::retry : SagaOutcome::fail);
    case Outcome::Kind::retry:
      return fail(answer, SagaOutcome::retry);
    case Outcome::Kind::returned:
      return fail(answer, SagaOutcome::retry, false);
  }
}

void judge_what(const Reply& reply, bool was_ever_ok, SagaAnswer& answer) {
  switch (reply.what) {
    case Reply::What::answered:
      return reply.verdict ? judge_verdict(reply, answer) : judge_status(reply, was_ever_ok, answer);
    case Reply::What::silent:
      answer.is_silence = true;
      return fail(answer, SagaOutcome::unknown);
    case Reply::What::garbled:
      return fail(answer, SagaOutcome::unknown);
    case Reply::What::unreachable:
    case Reply::What::withheld:
      return fail(answer, SagaOutcome::retry, is_mutant("saga_unreachable_spends"));
    case Reply::What::unsendable:
      answer.outcome = SagaOutcome::retry;
      answer.is_spent = false;
      answer.is_held = true;
      return;
  }
}

}  // namespace

void make_storable(SagaAnswer& answer) {
  answer.code = storable_code(answer.code);
  answer.error = storable(answer.error);
}

void judge_by_saga(const Reply& reply, const SagaStep& step, bool was_ever_ok, SagaAnswer& answer) {
  answer.code = reply.code;
  answer.error = reply.detail;
  answer.retry_after = reply.retry_after;
  judge_what(reply, was_ever_ok, answer);
  if (answer.outcome == SagaOutcome::ok && !answer.is_accepted) answer.code.clear();
  make_storable(answer);
  const auto said = step.outcomes.find(answer.code);
  if (said == step.outcomes.end() || answer.is_accepted) return;
  answer.outcome = said->second;
  answer.is_held = false;
  answer.is_manual = false;
}

}  // namespace makegood::core
