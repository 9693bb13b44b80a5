#include "stores/sql/key_table.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "stores/sql/key_rows.hpp"
#include "stores/sql/transaction.hpp"

namespace makegood::relational {
namespace {

/// A key that is lost to somebody else that often within one claim is answered as busy.
constexpr int claim_rounds_max = 8;
constexpr Duration busy_patience = std::chrono::seconds(1);

/// PostgreSQL's word for a row that an open transaction of somebody else holds for longer than we wait.
bool is_lock_timeout(const Error& error) { return error.diagnostics.find("55P03") != std::string::npos; }

/// The values of a result, in the order of the statements that write one.
void add_result(Step& step, const StoredResult& result) {
  const Snapshot none;
  const Snapshot& snapshot = result.snapshot ? *result.snapshot : none;
  step.values.emplace_back(result.digest);
  step.values.emplace_back(std::string(kind_of(result)));
  step.values.emplace_back(std::int64_t{snapshot.status});
  step.values.emplace_back(snapshot.headers);
  step.values.emplace_back(Blob{snapshot.body});
}

Step about_key(std::string_view sql, const std::optional<TimePoint>& now, const IdempotencyKey& key) {
  return Step(sql, now, key.tenant_id, key.scope, key.key);
}

Step about_claim(std::string_view sql, const std::optional<TimePoint>& now, const ClaimToken& claim) {
  return Step(sql, now, claim.key.tenant_id, claim.key.scope, claim.key.key, claim.token);
}

std::int64_t one_if(bool condition) { return condition ? 1 : 0; }

}  // namespace

/// A claim on its way to an answer.
struct KeyTable::Wanted {
  const ClaimRequest* request;
  std::string token;
  std::optional<Result<ClaimAnswer>> answer = {};
  // Of the try before, as the last look showed it.
  std::string failure_code = {};
  bool is_taken_over = false;
};

std::optional<TimePoint> KeyTable::clock_now() const {
  if (world_.clock == nullptr) return std::nullopt;
  return world_.clock->now();
}

KeyRecord KeyTable::read(const Rows& rows) const {
  KeyRecord record = read_key(rows);
  record.result = as_given(std::move(record.result), record.key, world_.storage.seal.get());
  return record;
}

Result<> KeyTable::write(const Step& step, const std::function<void(Rows&)>& read) {
  const auto run = [&]() -> Result<> {
    auto answers = MAKEGOOD_TRY(database_.run({&step, 1}));
    while (MAKEGOOD_TRY(answers.front()->next())) read(*answers.front());
    return {};
  };
  if (world_.is_borrowed || database_.commits_by_itself()) return run();
  auto transaction = MAKEGOOD_TRY(Transaction::begin_write(database_));
  MAKEGOOD_TRY(run());
  return transaction.commit();
}

Result<bool> KeyTable::write_one(const Step& step) {
  bool is_written = false;
  MAKEGOOD_TRY(write(step, [&](Rows&) { is_written = true; }));
  return is_written;
}

std::vector<Result<ClaimAnswer>> KeyTable::claim(std::span<const ClaimRequest> requests) {
  std::vector<Wanted> wanted;
  wanted.reserve(requests.size());
  // A statement may have a key only once: each pass takes the first of each that is open.
  std::vector<std::map<IdempotencyKey, Wanted*>> passes;
  for (const ClaimRequest& request : requests) {
    Wanted& one = wanted.emplace_back(&request, request.token.empty() ? world_.ids->new_uuid7() : request.token);
    if (const auto checked = check_claim(request); !checked) {
      one.answer = checked.error();
      continue;
    }
    auto pass = std::ranges::find_if(passes, [&](const auto& known) { return !known.contains(request.key); });
    if (pass == passes.end()) pass = passes.emplace(passes.end());
    pass->emplace(request.key, &one);
  }
  for (const auto& pass : passes) {
    Batch batch;
    for (const auto& [key, one] : pass) batch.push_back(one);
    claim_all(std::move(batch));
  }
  std::vector<Result<ClaimAnswer>> answers;
  answers.reserve(wanted.size());
  for (Wanted& one : wanted) answers.push_back(*std::move(one.answer));
  return answers;
}

void KeyTable::claim_all(Batch batch) {
  for (int round = 0; round < claim_rounds_max && !batch.empty(); ++round) {
    auto open = claim_round(batch);
    if (open) {
      batch = *std::move(open);
      continue;
    }
    const bool is_one = batch.size() == 1;
    if (is_one && is_lock_timeout(open.error()) && !world_.is_borrowed) break;
    // One that somebody's open transaction holds must not hold up the others.
    for (Wanted* one : batch) is_one ? void(one->answer = open.error()) : claim_all({one});
    return;
  }
  for (Wanted* one : batch) one->answer = ClaimAnswer{.outcome = ClaimOutcome::busy, .retry_after = busy_patience};
}

/// Looks first, so that hits write nothing, and takes what may be taken. Answers what was lost to somebody else between
/// the two, which is looked at anew in a statement of its own.
Result<KeyTable::Batch> KeyTable::claim_round(const Batch& batch) {
  const auto looked = MAKEGOOD_TRY(look(batch));
  Batch takeable;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    Wanted& one = *batch[i];
    const auto& [now, record] = looked[i];
    ClaimAnswer answer = record ? answer_of(*record, *one.request, now) : ClaimAnswer();
    if (answer.outcome == ClaimOutcome::fresh && answer.token.empty()) {
      one.failure_code = std::move(answer.failure_code);
      one.is_taken_over = answer.is_taken_over;
      takeable.push_back(&one);
    } else {
      one.answer = std::move(answer);
    }
  }
  if (takeable.empty()) return Batch();
  MAKEGOOD_TRY(take(takeable));
  std::erase_if(takeable, [](const Wanted* one) { return one->answer.has_value(); });
  return takeable;
}

Result<std::vector<KeyTable::Looked>> KeyTable::look(const Batch& batch) {
  std::vector<NamedClaim> claims;
  for (const Wanted* one : batch) claims.push_back({*one->request, one->token});
  const RowsPtr rows = MAKEGOOD_TRY(database_.query(sql_.look_up_keys, json_of(claims), clock_now()));
  std::vector<Looked> looked(batch.size());
  while (MAKEGOOD_TRY(rows->next())) {
    Looked& one = looked.at(rows->count(place_column));
    one.now = rows->time(now_column);
    if (has_key(*rows)) one.record = read(*rows);
  }
  return looked;
}

Result<> KeyTable::take(const Batch& batch) {
  std::vector<NamedClaim> claims;
  for (const Wanted* one : batch) claims.push_back({*one->request, one->token});
  return write(Step(sql_.take_keys, json_of(claims), clock_now()), [&](const Rows& rows) {
    const IdempotencyKey taken{std::string(rows.text(0)), std::string(rows.text(1)), std::string(rows.text(2))};
    const auto found = std::ranges::find_if(batch, [&](const Wanted* one) { return one->request->key == taken; });
    Wanted& one = **found;
    one.answer = ClaimAnswer{.outcome = ClaimOutcome::fresh,
                             .token = one.token,
                             .failure_code = std::move(one.failure_code),
                             .is_taken_over = one.is_taken_over};
  });
}

Result<ClaimAnswer> KeyTable::once(const ClaimRequest& request, const StoredResult& result) {
  MAKEGOOD_TRY(check_claim(request));
  const StoredResult kept = MAKEGOOD_TRY(as_stored(result, request.key, world_.storage));
  for (int round = 0; round < claim_rounds_max; ++round) {
    const Looked looked = MAKEGOOD_TRY(look(request.key));
    ClaimAnswer answer = looked.record ? answer_of(*looked.record, request, looked.now) : ClaimAnswer();
    if (answer.outcome != ClaimOutcome::fresh) return answer;
    Step step = about_key(sql_.take_key_once, clock_now(), request.key);
    step.values.emplace_back(request.fingerprint);
    step.values.emplace_back(world_.ids->new_uuid7());
    step.values.emplace_back(milliseconds_of(request.ttl));
    add_result(step, kept);
    if (MAKEGOOD_TRY(write_one(step))) return answer;
  }
  return ClaimAnswer{.outcome = ClaimOutcome::busy, .retry_after = busy_patience};
}

Result<TimePoint> KeyTable::renew(const ClaimToken& claim, Duration lease) {
  Step step = about_claim(sql_.renew_key, clock_now(), claim);
  step.values.emplace_back(milliseconds_of(lease));
  std::optional<TimePoint> until;
  MAKEGOOD_TRY(write(step, [&](const Rows& rows) { until = rows.time(0); }));
  if (!until) return stale_token();
  return *until;
}

Result<> KeyTable::finish(const ClaimToken& claim, const StoredResult& result) {
  Step step = about_claim(sql_.finish_key, clock_now(), claim);
  add_result(step, MAKEGOOD_TRY(as_stored(result, claim.key, world_.storage)));
  if (!MAKEGOOD_TRY(write_one(step))) return stale_token();
  return {};
}

Result<std::vector<Result<>>> KeyTable::finish(std::span<const Finish> finishes) {
  // In the order of keys, as claims are taken, so that no two of these wait for each other.
  std::vector<std::size_t> order(finishes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) -> const IdempotencyKey& { return finishes[i].claim.key; });
  std::vector<Finish> sorted;
  for (const std::size_t i : order) {
    const auto& [claim, result] = finishes[i];
    sorted.push_back({claim, MAKEGOOD_TRY(as_stored(result, claim.key, world_.storage))});
  }
  const bool is_one_statement = database_.commits_together() && !sql_.finish_keys.empty();
  const std::vector<bool> are_done = MAKEGOOD_TRY(is_one_statement ? finish_at_once(sorted) : finish_in_turn(sorted));
  std::vector<Result<>> answers(finishes.size(), stale_token());
  for (std::size_t place = 0; place < order.size(); ++place) {
    if (are_done[place]) answers[order[place]] = Result<>();
  }
  return answers;
}

Result<std::vector<bool>> KeyTable::finish_at_once(std::span<const Finish> stored) {
  std::vector<bool> are_done(stored.size());
  MAKEGOOD_TRY(write(Step(sql_.finish_keys, json_of(stored), clock_now()),
                     [&](const Rows& rows) { are_done.at(rows.count(0)) = true; }));
  return are_done;
}

Result<std::vector<bool>> KeyTable::finish_in_turn(std::span<const Finish> stored) {
  std::vector<Step> steps;
  for (const Finish& finish : stored) {
    steps.push_back(about_claim(sql_.finish_key, clock_now(), finish.claim));
    add_result(steps.back(), finish.result);
  }
  std::optional<Transaction> transaction;
  if (!database_.commits_together()) transaction.emplace(MAKEGOOD_TRY(Transaction::begin_write(database_)));
  std::vector<bool> are_done = MAKEGOOD_TRY(database_.answered(steps));
  if (transaction) MAKEGOOD_TRY(transaction->commit());
  return are_done;
}

Result<> KeyTable::fail(const ClaimToken& claim, const Failure& failure) {
  MAKEGOOD_TRY(check_failure(failure));
  Step step = about_claim(sql_.fail_key, clock_now(), claim);
  step.values.emplace_back(failure.code);
  step.values.emplace_back(failure.is_final);
  if (!MAKEGOOD_TRY(write_one(step))) return stale_token();
  return {};
}

Result<KeyTable::Looked> KeyTable::look(const IdempotencyKey& key) {
  const ClaimRequest request{.key = key, .fingerprint = {}};
  Wanted wanted{.request = &request, .token = {}};
  return std::move(MAKEGOOD_TRY(look(Batch{&wanted})).front());
}

Result<std::vector<KeyView>> KeyTable::list(const KeyFilter& filter, const IdempotencyKey& after,
                                            std::size_t rows_max) {
  const RowsPtr rows = MAKEGOOD_TRY(database_.query(
      sql_.list_keys, clock_now(), filter.tenant_id.value_or(""), one_if(filter.scope.has_value()),
      filter.scope.value_or(""), after.tenant_id, after.scope, after.key, one_if(filter.is_in_doubt), rows_max));
  std::vector<KeyView> keys;
  while (MAKEGOOD_TRY(rows->next())) keys.push_back(view_of(read(*rows), rows->time(now_column)));
  return keys;
}

Result<KeyCounts> KeyTable::count(const KeyFilter& filter) {
  const RowsPtr rows = MAKEGOOD_TRY(database_.one(sql_.count_keys, clock_now(), filter.tenant_id.value_or(""),
                                                  one_if(filter.scope.has_value()), filter.scope.value_or("")));
  return KeyCounts{.in_flight = rows->integer(0),
                   .succeeded = rows->integer(1),
                   .failed = rows->integer(2),
                   .in_doubt = rows->integer(3),
                   .expired = rows->integer(4)};
}

Result<bool> KeyTable::forget(const IdempotencyKey& key) {
  return write_one(about_key(sql_.forget_key, clock_now(), key));
}

Result<bool> KeyTable::resolve(const IdempotencyKey& key, bool was_done, const StoredResult& result) {
  Step step = about_key(sql_.resolve_key, clock_now(), key);
  step.values.emplace_back(std::string(to_string(was_done ? KeyState::succeeded : KeyState::failed)));
  step.values.emplace_back(world_.ids->new_uuid7());
  step.values.emplace_back(std::string(was_done ? "" : resolved_as_not_done));
  add_result(step, MAKEGOOD_TRY(as_stored(result, key, world_.storage)));
  return write_one(step);
}

Result<std::size_t> KeyTable::purge(Duration grace, std::size_t rows_max) {
  std::size_t count = 0;
  MAKEGOOD_TRY(write(Step(sql_.purge_keys, milliseconds_of(grace), rows_max, clock_now()), [&](Rows&) { ++count; }));
  return count;
}

}  // namespace makegood::relational
