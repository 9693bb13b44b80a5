#include "api/key_news.hpp"

#include <utility>

namespace makegood::api {

std::string_view to_string(KeyNews::Kind kind) {
  switch (kind) {
    case KeyNews::Kind::claimed:
      return "claimed";
    case KeyNews::Kind::taken_over:
      return "taken_over";
    case KeyNews::Kind::finished:
      return "finished";
    case KeyNews::Kind::failed:
      return "failed";
    case KeyNews::Kind::in_doubt:
      return "in_doubt";
    case KeyNews::Kind::resolved:
      return "resolved";
    case KeyNews::Kind::forgotten:
      return "forgotten";
    case KeyNews::Kind::purged:
      return "purged";
    case KeyNews::Kind::told:
      return "told";
  }
  std::unreachable();
}

KeyNews news_of(const IdempotencyKey& key, const ClaimAnswer& answer) {
  if (answer.outcome != ClaimOutcome::fresh) {
    return {.kind = KeyNews::Kind::told, .key = key, .code = std::string(to_string(answer.outcome))};
  }
  return {.kind = answer.is_taken_over ? KeyNews::Kind::taken_over : KeyNews::Kind::claimed, .key = key};
}

}  // namespace makegood::api
