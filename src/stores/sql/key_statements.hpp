// The statements about idempotency keys and the inbox: each store writes them in its dialect.
#pragma once

#include <string_view>

namespace makegood::relational {

struct KeyStatements {
  /// Empty: many are finished one by one, in one transaction.
  std::string_view finish_keys = {};
  std::string_view look_up_keys, take_keys, take_key_once, renew_key, finish_key, fail_key, list_keys, count_keys,
      forget_key, resolve_key, purge_keys;
  std::string_view see_event, has_event, inbox_consumers, raise_watermark, purge_inbox;
};

template <class Sql>
constexpr std::string_view finish_keys_in() {
  if constexpr (requires { Sql::finish_keys; }) return Sql::finish_keys;
  return {};
}

template <class Sql>
constexpr KeyStatements key_statements_in() {
  return {
      .finish_keys = finish_keys_in<Sql>(),
      .look_up_keys = Sql::look_up_keys,
      .take_keys = Sql::take_keys,
      .take_key_once = Sql::take_key_once,
      .renew_key = Sql::renew_key,
      .finish_key = Sql::finish_key,
      .fail_key = Sql::fail_key,
      .list_keys = Sql::list_keys,
      .count_keys = Sql::count_keys,
      .forget_key = Sql::forget_key,
      .resolve_key = Sql::resolve_key,
      .purge_keys = Sql::purge_keys,
      .see_event = Sql::see_event,
      .has_event = Sql::has_event,
      .inbox_consumers = Sql::inbox_consumers,
      .raise_watermark = Sql::raise_watermark,
      .purge_inbox = Sql::purge_inbox,
  };
}

}  // namespace makegood::relational
