// Idempotency keys over REST: claimed, renewed, finished and failed by services; looked at and resolved by operators.
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>

#include "api/asking.hpp"
#include "api/key_figures.hpp"
#include "api/key_news.hpp"
#include "api/operation.hpp"
#include "api/paging.hpp"
#include "base/base64.hpp"
#include "base/key_rules.hpp"

namespace makegood::api {
namespace {

constexpr IntegerRange time_range{1, std::chrono::duration_cast<std::chrono::milliseconds>(ttl_max).count()};
constexpr auto policies = std::to_array<std::string_view>({"take_over", "hold"});
constexpr TextRule content_text(std::string_view says) { return {.bytes_min = 0, .may_be_long = true, .says = says}; }
constexpr std::string_view digest_says = "Of the result, in the form of its user; never the result itself.";

IdempotencyKey key_in(Fields& fields) {
  IdempotencyKey key;
  if (auto tenant = fields.text("tenant_id", {.absent = "default"}); !tenant.empty()) key.tenant_id = std::move(tenant);
  key.scope =
      fields.text("scope", {.bytes_min = 0, .says = "What the key is for: a route and its caller, for example."});
  key.key = fields.text("key", {.is_required = true});
  return key;
}

ClaimToken claim_in(Fields& fields) {
  ClaimToken claim{.key = key_in(fields)};
  claim.token = fields.text("token", {.is_required = true, .says = "As the claim answered it."});
  return claim;
}

Duration time_in(Fields& fields, std::string_view name, Duration absent, std::string_view says) {
  const std::int64_t usual = std::chrono::duration_cast<std::chrono::milliseconds>(absent).count();
  return std::chrono::milliseconds(fields.integer_or(name, usual, time_range, says));
}

ClaimRequest claim_request_in(Fields& fields, const ClaimRequest& usual) {
  ClaimRequest request = usual;
  request.key = key_in(fields);
  request.fingerprint =
      fields.text("fingerprint",
                  {.is_required = true, .bytes_max = fingerprint_bytes_max, .says = "A digest of the whole request."});
  request.ttl = time_in(fields, "ttl_ms", usual.ttl, "How long the key is remembered.");
  request.lease = time_in(fields, "lease_ms", usual.lease, "How long its owner may be silent.");
  const std::size_t policy = fields.choice_or("after_lease", 1, policies,
                                              "`take_over` only where the finish is part of the business transaction.");
  request.after_lease = policy == 0 ? AfterLease::take_over : AfterLease::hold;
  request.token =
      fields.text("token", {.says = "Drawn if it is left out. Who lost the answer asks again with its own."});
  return request;
}
void describe_claim(Fields& fields) { claim_request_in(fields, {}); }

StoredResult result_in(Fields& fields) {
  StoredResult result{.digest = fields.text("digest", content_text(digest_says))};
  const auto status = fields.integer("status", {100, 599}, "Of an answer that is to be given again.");
  std::string headers = fields.text("headers", content_text("Of that answer, in the form of its user."));
  const auto body = from_base64(fields.text("body_base64", content_text("Of that answer.")));
  if (!body) fields.mistake("body_base64", "is not base 64 with padding");
  if (status) {
    result.snapshot =
        Snapshot{.status = static_cast<int>(*status), .headers = std::move(headers), .body = body.value_or("")};
  }
  return result;
}

Finish finish_in(Fields& fields) {
  ClaimToken claim = claim_in(fields);
  return {.claim = std::move(claim), .result = result_in(fields)};
}

struct Failed {
  ClaimToken claim;
  Failure failure;
};
Failed failed_in(Fields& fields) {
  ClaimToken claim = claim_in(fields);
  std::string code = fields.text("code", {.is_required = true, .bytes_max = failure_code_bytes_max});
  const bool is_final = fields.flag("is_final", "Kept: later claims are told so. Otherwise the next claim is fresh.");
  return {std::move(claim), {.code = std::move(code), .is_final = is_final}};
}

struct Renewed {
  ClaimToken claim;
  Duration lease;
};
Renewed renewed_in(Fields& fields, Duration usual) {
  ClaimToken claim = claim_in(fields);
  return {std::move(claim), time_in(fields, "lease_ms", usual, "From now on.")};
}
void describe_renewed(Fields& fields) { renewed_in(fields, ClaimRequest{}.lease); }

struct Resolved {
  IdempotencyKey key;
  bool was_done;
  StoredResult result;
};
Resolved resolved_in(Fields& fields) {
  IdempotencyKey key = key_in(fields);
  fields.require("was_done");
  const bool was_done = fields.flag("was_done", "True: a hit from now on. False: fresh again.");
  return {std::move(key), was_done, result_in(fields)};
}

struct KeyQuery {
  KeyFilter filter;
  IdempotencyKey after;
  std::size_t limit;
};
/// A cursor has the three parts of a key, the first two with their lengths before them.
std::string cursor_of(const IdempotencyKey& key) {
  return fmt::format("{}:{}{}:{}{}", key.tenant_id.size(), key.tenant_id, key.scope.size(), key.scope, key.key);
}
/// Takes `LENGTH:TEXT` from the beginning; nothing: it does not begin so.
std::optional<std::string> take_part(std::string_view& text) {
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (error != std::errc() || !text.starts_with(':') || length >= text.size()) return std::nullopt;
  std::string part(text.substr(1, length));
  text.remove_prefix(1 + length);
  return part;
}
IdempotencyKey key_cursor(Fields& query) {
  const std::string text = query.text("cursor", {.bytes_max = 1000, .says = "`next` of the page before."});
  if (text.empty()) return {.tenant_id = ""};
  std::string_view rest = text;
  auto tenant = take_part(rest);
  auto scope = take_part(rest);
  if (!tenant || !scope) query.mistake("cursor", "is not `next` of a page of this list");
  return {tenant.value_or(""), scope.value_or(""), std::string(rest)};
}
KeyQuery key_query(Fields& query) {
  KeyQuery wanted{.filter = {}, .after = {}, .limit = 0};
  if (auto tenant = query.text("tenant_id", tenant_rule); !tenant.empty()) wanted.filter.tenant_id = std::move(tenant);
  const bool has_scope = query.has("scope");
  std::string scope = query.text("scope", {.bytes_min = 0, .says = "Only this scope."});
  if (has_scope) wanted.filter.scope = std::move(scope);
  wanted.filter.is_in_doubt = query.flag("in_doubt", "Only keys about which an operator has to decide.");
  wanted.after = key_cursor(query);
  wanted.limit = limit_of(query);
  return wanted;
}

struct Purge {
  Duration grace;
  std::size_t limit;
};
Purge purge_in(Fields& fields) {
  const std::int64_t grace =
      fields.integer_or("grace_ms", 60'000, {0, time_range.high}, "Only what has been over for so long.");
  return {std::chrono::milliseconds(grace),
          static_cast<std::size_t>(fields.integer_or("limit", 1000, {1, 10'000}, "At most so many in one step."))};
}

void put_key(Writer& writer, const IdempotencyKey& key) {
  put(writer, "tenant_id", key.tenant_id);
  put(writer, "scope", key.scope);
  put(writer, "key", key.key);
}

/// What a viewer may see of it; the answer itself is for operators.
void put_result(Writer& writer, const StoredResult& result, bool is_hidden) {
  const Snapshot none;
  const Snapshot& snapshot = result.snapshot && !is_hidden ? *result.snapshot : none;
  put_or_null(writer, "digest", result.digest, digest_says);
  put(writer, "status", result.snapshot && !is_hidden ? std::optional(snapshot.status) : std::nullopt,
      "Null: no answer was stored, or it is not for you.");
  put_or_null(writer, "headers", snapshot.headers);
  put_or_null(writer, "body_base64", to_base64(snapshot.body));
  put(writer, "is_truncated", result.is_truncated, "The body is not here: it was too large, or is not opened.");
  put_or_null(writer, "sealed_by", result.sealed_by, "The id of the key that the stored answer is sealed with.");
  put_or_null(writer, "unopened", result.unopened, "Why it could not be opened here.");
}

struct ShownKey {
  KeyView view = {};
  bool is_hidden = false;
};
void put_shown(Writer& writer, const ShownKey& shown) {
  const KeyRecord& record = shown.view.record;
  put_key(writer, record.key);
  put_word(writer, "state", record.state, KeyState::failed);
  put_word(writer, "outcome", shown.view.outcome, ClaimOutcome::last_failed,
           "What a claim with its fingerprint is told.");
  put(writer, "fingerprint", record.fingerprint);
  put_word(writer, "after_lease", record.after_lease, AfterLease::hold);
  put(writer, "claims", record.claims);
  put(writer, "created_at", record.created_at);
  put(writer, "updated_at", record.updated_at);
  put(writer, "lease_until", record.lease_until);
  put(writer, "expires_at", record.expires_at);
  put_or_null(writer, "failure_code", record.failure.code);
  put_result(writer, record.result, shown.is_hidden);
}

void put_claim(Writer& writer, const ClaimAnswer& answer) {
  put_word(writer, "outcome", answer.outcome, ClaimOutcome::last_failed);
  put_or_null(writer, "token", answer.token, "Of a fresh one: finish and fail want it.");
  put(writer, "is_taken_over", answer.is_taken_over, "Of a fresh one: whoever had the key before fell silent.");
  put_or_null(writer, "failure_code", answer.failure_code, "How it failed, or how the try before failed.");
  put_milliseconds(writer, "retry_after_ms", answer.retry_after, "Of a busy one.");
  put_result(writer, answer.result, false);
}

struct Until {
  TimePoint lease_until = {};
};
void put_until(Writer& writer, const Until& until) { put(writer, "lease_until", until.lease_until); }

struct Done {};
void put_done(Writer& writer, const Done& /*done*/) { put(writer, "is_done", true); }

struct KeyPage {
  std::vector<ShownKey> keys = {};
  std::string next = {};
};
void put_keys(Writer& writer, const KeyPage& page) {
  put_page(writer, "IdempotencyKey", page.keys, page.next, put_shown);
}

void put_counts(Writer& writer, const KeyCounts& counts) {
  put(writer, "in_flight", counts.in_flight);
  put(writer, "succeeded", counts.succeeded);
  put(writer, "failed", counts.failed);
  put(writer, "in_doubt", counts.in_doubt, "An operator has to decide.");
  put(writer, "expired", counts.expired, "Their time is over; the next purge takes them.");
}

struct Purged {
  std::size_t count = 0;
};
void put_purged(Writer& writer, const Purged& purged) { put(writer, "purged", purged.count); }

void tell(const RoutedCall& routed, const KeyNews& news) {
  const auto& listener = routed.connections.api_context().key_news;
  if (listener) listener(news);
}

Result<Answer> claim_key(const RoutedCall& routed) {
  MAKEGOOD_TRY(refuse_query(routed.call));
  const ClaimRequest usual = routed.connections.api_context().usual_claim;
  const ClaimRequest request =
      MAKEGOOD_TRY(read_body(routed.call, [&](Fields& fields) { return claim_request_in(fields, usual); }));
  IdempotencyStore& keys = *MAKEGOOD_TRY(routed.connections.keys());
  const ClaimAnswer answer = MAKEGOOD_TRY(keys.claim(request));
  if (KeyFigures* figures = routed.connections.api_context().key_figures) {
    figures->told(answer, request.key.tenant_id);
  }
  tell(routed, news_of(request.key, answer));
  return answer_of(answer, put_claim);
}

Result<Answer> renew_key(const RoutedCall& routed) {
  MAKEGOOD_TRY(refuse_query(routed.call));
  const Duration usual = routed.connections.api_context().usual_claim.lease;
  const Renewed renewed =
      MAKEGOOD_TRY(read_body(routed.call, [&](Fields& fields) { return renewed_in(fields, usual); }));
  IdempotencyStore& keys = *MAKEGOOD_TRY(routed.connections.keys());
  return answer_of(Until{MAKEGOOD_TRY(keys.renew(renewed.claim, renewed.lease))}, put_until);
}

Result<Answer> finish_key(const RoutedCall& routed) {
  MAKEGOOD_TRY(refuse_query(routed.call));
  const Finish finish = MAKEGOOD_TRY(read_body(routed.call, finish_in));
  IdempotencyStore& keys = *MAKEGOOD_TRY(routed.connections.keys());
  MAKEGOOD_TRY(keys.finish(finish.claim, finish.result));
  tell(routed, {.kind = KeyNews::Kind::finished, .key = finish.claim.key});
  return answer_of(Done(), put_done);
}

Result<Answer> fail_key(const RoutedCall& routed) {
  MAKEGOOD_TRY(refuse_query(routed.call));
  const Failed failed = MAKEGOOD_TRY(read_body(routed.call, failed_in));
  IdempotencyStore& keys = *MAKEGOOD_TRY(routed.connections.keys());
  MAKEGOOD_TRY(keys.fail(failed.claim, failed.failure));
  tell(routed, {.kind = KeyNews::Kind::failed, .key = failed.claim.key, .code = failed.failure.code});
  return answer_of(Done(), put_done);
}

Result<Answer> show_key(const RoutedCall& routed) {
  const IdempotencyKey key = MAKEGOOD_TRY(read_query(routed.call, key_in));
  IdempotencyStore& keys = *MAKEGOOD_TRY(routed.connections.keys());
  auto found = MAKEGOOD_TRY(keys.look_up(key));
  if (!found) return no_such_key();
  return answer_of(ShownKey{*std::move(found), !routed.call.sees_contents}, put_shown);
}

Result<Answer> list_keys(const RoutedCall& routed) {
  const KeyQuery wanted = MAKEGOOD_TRY(read_query(routed.call, key_query));
  IdempotencyStore& keys = *MAKEGOOD_TRY(routed.connections.keys());
  KeyPage page;
  for (KeyView& view : MAKEGOOD_TRY(keys.list(wanted.filter, wanted.after, wanted.limit))) {
    page.keys.push_back({std::move(view), !routed.call.sees_contents});
  }
  if (page.keys.size() >= wanted.limit) page.next = cursor_of(page.keys.back().view.record.key);
  return answer_of(page, put_keys);
}

Result<Answer> count_keys(const RoutedCall& routed) {
  MAKEGOOD_TRY(refuse_query(routed.call));
  IdempotencyStore& keys = *MAKEGOOD_TRY(routed.connections.keys());
  return answer_of(MAKEGOOD_TRY(keys.count({})), put_counts);
}

Result<Answer> forget_key(const RoutedCall& routed) {
  MAKEGOOD_TRY(refuse_query(routed.call));
  const IdempotencyKey key = MAKEGOOD_TRY(read_body(routed.call, key_in));
  IdempotencyStore& keys = *MAKEGOOD_TRY(routed.connections.keys());
  MAKEGOOD_TRY(keys.forget(key));
  tell(routed, {.kind = KeyNews::Kind::forgotten, .key = key});
  return answer_of(Done(), put_done);
}

Result<Answer> resolve_key(const RoutedCall& routed) {
  MAKEGOOD_TRY(refuse_query(routed.call));
  const Resolved resolved = MAKEGOOD_TRY(read_body(routed.call, resolved_in));
  IdempotencyStore& keys = *MAKEGOOD_TRY(routed.connections.keys());
  MAKEGOOD_TRY(keys.resolve(resolved.key, resolved.was_done, resolved.result));
  tell(routed, {.kind = KeyNews::Kind::resolved, .key = resolved.key, .code = resolved.was_done ? "done" : "not_done"});
  return answer_of(Done(), put_done);
}

Result<Answer> purge_keys(const RoutedCall& routed) {
  MAKEGOOD_TRY(refuse_query(routed.call));
  const Purge purge = MAKEGOOD_TRY(read_body(routed.call, purge_in));
  IdempotencyStore& keys = *MAKEGOOD_TRY(routed.connections.keys());
  const Purged purged{MAKEGOOD_TRY(keys.purge(purge.grace, purge.limit))};
  if (purged.count > 0) tell(routed, {.kind = KeyNews::Kind::purged, .count = purged.count});
  return answer_of(purged, put_purged);
}

constexpr Operation does(std::string_view id, std::string_view path, Role role, Handler handler,
                         std::string_view summary, Body body, Reply reply, std::array<int, 3> also = {409}) {
  return {.id = id,
          .method = "POST",
          .path = path,
          .role = role,
          .handler = handler,
          .tag = "idempotency",
          .summary = summary,
          .body = body,
          .replies = {reply},
          .also = also};
}
constexpr Reply done_reply{200, "Committed.", "Done", writes<put_done>};
constexpr std::string_view claim_example =
    R"({"scope": "POST /payments", "key": "7f3c", "fingerprint": "9a1f…", "lease_ms": 30000})";
constexpr std::string_view token_example =
    R"({"scope": "POST /payments", "key": "7f3c", "token": "0190…", "digest": "payment 17"})";

constexpr auto about_idempotency = std::to_array<Operation>({
    does("claim_key", "/api/idempotency/claim", Role::producer, claim_key, "Claim an idempotency key",
         {"Claim", describe_claim, {claim_example}},
         {200, "What the key is; only `fresh` is yours to work on.", "ClaimAnswer", writes<put_claim>}, {}),
    does("renew_key", "/api/idempotency/renew", Role::producer, renew_key, "Keep a claim for longer",
         {"Renewal", describe_renewed}, {200, "Until when it is yours.", "LeaseUntil", writes<put_until>}),
    does("finish_key", "/api/idempotency/finish", Role::producer, finish_key, "Say that it was done",
         {"KeyFinish", reads<finish_in>, {token_example}}, done_reply, {409, 413}),
    does("fail_key", "/api/idempotency/fail", Role::producer, fail_key, "Say that it was not done",
         {"KeyFailure", reads<failed_in>}, done_reply),
    shows("list_keys", "/api/idempotency/keys", "idempotency", list_keys, "The keys, in their order",
          {200, "One page.", "IdempotencyKeyPage", writes<put_keys>}, reads<key_query>),
    {.id = "show_key",
     .method = "GET",
     .path = "/api/idempotency/key",
     .handler = show_key,
     .tag = "idempotency",
     .summary = "One key",
     .query = reads<key_in>,
     .replies = {Reply{200, "What is known of it.", "IdempotencyKey", writes<put_shown>}},
     .also = {404}},
    shows("count_keys", "/api/idempotency/counts", "idempotency", count_keys,
          "How many keys there are, by what they are", {200, "Counted now.", "IdempotencyCounts", writes<put_counts>}),
    does("forget_key", "/api/idempotency/forget", Role::operate, forget_key,
         "Forget a key, so that its request can be made anew", {"KeyName", reads<key_in>}, done_reply, {404, 409}),
    does("resolve_key", "/api/idempotency/resolve", Role::operate, resolve_key, "Decide about a key that is in doubt",
         {"Resolution", reads<resolved_in>}, done_reply, {404, 409}),
    does("purge_keys", "/api/idempotency/purge", Role::operate, purge_keys, "Delete keys whose time is over",
         {"Purge", reads<purge_in>}, {200, "How many.", "Purged", writes<put_purged>}, {}),
});

}  // namespace

Operations idempotency_operations() { return about_idempotency; }

}  // namespace makegood::api
