#include "stores/sql/key_store.hpp"

#include "stores/sql/transaction.hpp"

namespace makegood::relational {

std::vector<Result<ClaimAnswer>> KeyStore::claim(std::span<const ClaimRequest> requests) {
  return keys_.claim(requests);
}

std::vector<Result<>> KeyStore::finish(std::span<const Finish> finishes) {
  std::vector<Result<>> answers;
  if (finishes.size() > 1) {
    if (auto together = finish_together(finishes)) return *std::move(together);
  }
  // One that cannot be stored must not take the others with it.
  for (const Finish& finish : finishes) answers.push_back(finish_one(finish));
  return answers;
}

Result<std::vector<Result<>>> KeyStore::finish_together(std::span<const Finish> finishes) {
  std::vector<Result<>> answers = MAKEGOOD_TRY(keys_.finish(finishes));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i]) answers[i] = finish_one(finishes[i]);
  }
  return answers;
}

Result<> KeyStore::finish_one(const Finish& finish) {
  return unless_done(finish.claim, keys_.finish(finish.claim, finish.result), [&](const KeyRecord& record) {
    return record.state == KeyState::succeeded && keys_.has_result(record, finish.result);
  });
}

Result<> KeyStore::unless_done(const ClaimToken& claim, Result<> outcome,
                               const std::function<bool(const KeyRecord&)>& is_done) {
  if (outcome || outcome.error().code != Errc::fenced) return outcome;
  const auto looked = MAKEGOOD_TRY(keys_.look(claim.key));
  const bool is_same = looked.record && looked.record->token == claim.token && is_done(*looked.record);
  return is_same ? Result<>() : outcome;
}

Result<TimePoint> KeyStore::renew(const ClaimToken& claim, Duration lease) { return keys_.renew(claim, lease); }

Result<> KeyStore::fail(const ClaimToken& claim, const Failure& failure) {
  return unless_done(claim, keys_.fail(claim, failure), [&](const KeyRecord& record) {
    return record.state == KeyState::failed && record.failure == failure;
  });
}

Result<std::optional<KeyView>> KeyStore::look_up(const IdempotencyKey& key) {
  auto looked = MAKEGOOD_TRY(keys_.look(key));
  if (!looked.record || is_over(*looked.record, looked.now)) return std::optional<KeyView>();
  return std::optional(view_of(*std::move(looked.record), looked.now));
}

Result<std::vector<KeyView>> KeyStore::list(const KeyFilter& filter, const IdempotencyKey& after,
                                            std::size_t rows_max) {
  return keys_.list(filter, after, rows_max);
}

Result<KeyCounts> KeyStore::count(const KeyFilter& filter) { return keys_.count(filter); }

Result<> KeyStore::forget(const IdempotencyKey& key) {
  if (!MAKEGOOD_TRY(look_up(key))) return no_such_key();
  if (!MAKEGOOD_TRY(keys_.forget(key))) return key_is_busy();
  return {};
}

Result<> KeyStore::resolve(const IdempotencyKey& key, bool was_done, const StoredResult& result) {
  const auto view = MAKEGOOD_TRY(look_up(key));
  if (!view) return no_such_key();
  if (view->outcome == ClaimOutcome::busy) return key_is_busy();
  if (view->outcome != ClaimOutcome::in_doubt) return nothing_in_doubt();
  if (!MAKEGOOD_TRY(keys_.resolve(key, was_done, result))) return key_is_busy();
  return {};
}

Result<std::size_t> KeyStore::purge(Duration grace, std::size_t rows_max) { return keys_.purge(grace, rows_max); }

Result<std::size_t> KeyStore::purge_inbox(Duration retention, std::size_t rows_max) {
  std::size_t count = 0;
  for (const std::string& consumer : MAKEGOOD_TRY(inbox_.consumers())) {
    auto transaction = MAKEGOOD_TRY(Transaction::begin_write(*connection_));
    count += MAKEGOOD_TRY(inbox_.purge(consumer, retention, rows_max));
    MAKEGOOD_TRY(transaction.commit());
  }
  return count;
}

}  // namespace makegood::relational
