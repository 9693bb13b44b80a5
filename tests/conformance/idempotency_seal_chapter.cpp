// Stored answers under a seal: who has the key reads them, and nobody else.
#include "tests/conformance/idempotency_suite.hpp"

namespace makegood::conformance {
namespace {

const std::string first_key = "1 " + std::string(64, 'a') + "\n";
const std::string second_key = "2 " + std::string(64, 'b') + "\n";
const std::string forged_key = "1 " + std::string(64, 'c') + "\n";

ResultStorage under(const std::string& keys) { return {.seal = parse_seal(keys, "a test").value()}; }

const StoredResult secret = {.digest = "order 7",
                             .snapshot = Snapshot{.status = 201, .headers = "X-Card", .body = "4111-1111"}};

/// How it is read by who has the key.
StoredResult opened(StoredResult result, const std::string& key) {
  result.sealed_by = key;
  return result;
}

}  // namespace

TEST_P(IdempotencySuite, SealsAnAnswerAndGivesItAgain) {
  const auto store = under_test_->connect(under(first_key));
  must(store->finish(claimed(a_claim()), secret));
  EXPECT_EQ(must(store->claim(a_claim())).result, opened(secret, "1"));
  EXPECT_EQ(must(store->look_up(a_claim().key))->record.result, opened(secret, "1"));
  EXPECT_EQ(must(store->list({}, {.tenant_id = ""}, 10)).at(0).record.result, opened(secret, "1"));
}

TEST_P(IdempotencySuite, KeepsNothingOfASealedAnswerButItsStatusAndItsDigest) {
  const auto store = under_test_->connect(under(first_key));
  must(store->finish(claimed(a_claim()), secret));
  EXPECT_EQ(under_test_->ask("SELECT result_digest, result_status, result_headers FROM makegood_idempotency"),
            under_test_->ask(R"(SELECT 'order 7', 201, '{"makegood_seal":"1"}')"));
  EXPECT_EQ(under_test_->ask("SELECT count(*) FROM makegood_idempotency WHERE CAST(result_body AS text) LIKE '%4111%'"),
            "0");
}

TEST_P(IdempotencySuite, OpensWhatWasSealedBeforeARotation) {
  must(under_test_->connect(under(first_key))->finish(claimed(a_claim("old")), secret));
  const auto rotated = under_test_->connect(under(second_key + first_key));
  must(rotated->finish(claimed(a_claim("new")), secret));
  EXPECT_EQ(must(rotated->claim(a_claim("old"))).result, opened(secret, "1"));
  EXPECT_EQ(must(rotated->claim(a_claim("new"))).result, opened(secret, "2"));
}

TEST_P(IdempotencySuite, ReadsWhatWasStoredBeforeThereWasASeal) {
  must(store_->finish(claimed(a_claim()), secret));
  EXPECT_EQ(must(under_test_->connect(under(first_key))->claim(a_claim())).result, secret);
}

/// It was done, and that is told whatever can be read of its answer.
TEST_P(IdempotencySuite, TellsAHitWithoutAnAnswerThatItCannotOpen) {
  must(under_test_->connect(under(first_key))->finish(claimed(a_claim()), secret));
  for (const auto& [keys, why] : {std::pair(std::string(), "no seal file is set"),
                                  std::pair(second_key, "the key 1, which is not in the seal file"),
                                  std::pair(forged_key, "under another key of the same id")}) {
    const auto store = under_test_->connect(keys.empty() ? ResultStorage() : under(keys));
    const ClaimAnswer answer = must(store->claim(a_claim()));
    EXPECT_EQ(answer.outcome, ClaimOutcome::hit);
    EXPECT_EQ(answer.result.digest, "order 7");
    EXPECT_EQ(answer.result.snapshot, Snapshot{.status = 201});
    EXPECT_TRUE(answer.result.is_truncated);
    EXPECT_EQ(answer.result.sealed_by, "1");
    EXPECT_NE(answer.result.unopened.find(why), std::string::npos) << answer.result.unopened;
  }
}

/// I11: whoever may write to the table cannot have somebody else's answer read to himself.
TEST_P(IdempotencySuite, OpensAnAnswerForItsOwnKeyOnly) {
  const auto store = under_test_->connect(under(first_key));
  must(store->finish(claimed(a_claim()), secret));
  under_test_->ask("UPDATE makegood_idempotency SET scope = 'of somebody else'");
  ClaimRequest stolen = a_claim();
  stolen.key.scope = "of somebody else";
  const ClaimAnswer answer = must(store->claim(stolen));
  EXPECT_EQ(answer.result.snapshot, Snapshot{.status = 201});
  EXPECT_NE(answer.result.unopened, "");
}

TEST_P(IdempotencySuite, TakesTheSameSealedFinishTwice) {
  const auto store = under_test_->connect(under(first_key));
  const auto rotated = under_test_->connect(under(second_key + first_key));
  for (const bool has_digest : {true, false}) {
    StoredResult result = secret;
    if (!has_digest) result.digest.clear();
    const ClaimToken claim = claimed(a_claim(has_digest ? "named" : "nameless"));
    must(store->finish(claim, result));
    must(store->finish(claim, result));
    must(rotated->finish(claim, result));
    StoredResult other = result;
    other.snapshot->body = "4222-2222";
    EXPECT_EQ(code_of(store->finish(claim, other)), "TX.FENCED");
  }
}

/// I8: with its seal it must not be above the limit.
TEST_P(IdempotencySuite, LeavesTheBodyOutThatDoesNotFitWithItsSeal) {
  ResultStorage storage = under(first_key);
  storage.limits.snapshot_bytes_max = 1000;
  const auto store = under_test_->connect(storage);
  struct Size {
    std::size_t body, headers;
    bool is_whole;
  };
  for (const auto& [body, headers, is_whole] : {Size{700, 1, true}, Size{900, 1, false}, Size{1, 900, false}}) {
    const Snapshot answer{.status = 200, .headers = std::string(headers, 'h'), .body = std::string(body, 'b')};
    const std::string key = std::to_string(body);
    const ClaimToken claim = claimed(a_claim(key));
    must(store->finish(claim, {.snapshot = answer}));
    must(store->finish(claim, {.snapshot = answer}));
    const StoredResult told = must(store->claim(a_claim(key))).result;
    EXPECT_EQ(told.is_truncated, !is_whole) << key;
    EXPECT_EQ(told.snapshot->body, is_whole ? answer.body : "") << key;
    EXPECT_EQ(told.snapshot->headers, headers < 900 ? answer.headers : "") << key;
  }
}

TEST_P(IdempotencySuite, SealsEachOfABatchForItself) {
  const auto store = under_test_->connect(under(first_key));
  const std::vector<Finish> batch = {{claimed(a_claim("b")), {.snapshot = Snapshot{.status = 200, .body = "of b"}}},
                                     {claimed(a_claim("a")), {.snapshot = Snapshot{.status = 200, .body = "of a"}}},
                                     {claimed(a_claim("c")), {.digest = "no answer"}}};
  for (const auto& finished : store->finish(batch)) must(finished);
  EXPECT_EQ(must(store->claim(a_claim("a"))).result.snapshot->body, "of a");
  EXPECT_EQ(must(store->claim(a_claim("b"))).result.snapshot->body, "of b");
  EXPECT_EQ(must(store->claim(a_claim("c"))).result, (StoredResult{.digest = "no answer"}));
}

TEST_P(IdempotencySuite, SealsWhatAnOperatorSays) {
  const auto store = under_test_->connect(under(first_key));
  claimed(a_claim());
  pass(30s);
  must(store->resolve(a_claim().key, true, secret));
  EXPECT_EQ(must(store->claim(a_claim())).result, opened(secret, "1"));
}

TEST_P(IdempotencyTransactionSuite, SealsInTheTransactionOfTheEffect) {
  const ClaimToken claim = really_claimed(a_claim("claimed"));
  const auto both = under(second_key + first_key);
  auto transaction = under_test_->begin(both);
  must(transaction->once(a_claim("once"), secret));
  EXPECT_EQ(must(transaction->once(a_claim("once"), {})).result, opened(secret, "2"));
  must(transaction->finish(claim, secret));
  EXPECT_TRUE(transaction->commit());
  const auto reader = under_test_->begin(both);
  for (const char* key : {"once", "claimed"}) {
    EXPECT_EQ(must(reader->claim(a_claim(key))).result, opened(secret, "2")) << key;
  }
}

}  // namespace makegood::conformance
