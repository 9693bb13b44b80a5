// A connection that belongs to the caller, and the statements that we keep prepared on it.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "makegood/result.hpp"
#include "stores/postgres/identifier.hpp"
#include "stores/postgres/parameters.hpp"
#include "stores/postgres/rows.hpp"

struct pg_conn;

namespace makegood::postgres {

class Borrowed {
 public:
  Borrowed(pg_conn* connection, Identifier outbox, bool may_prepare)
      : connection_(connection), outbox_(std::move(outbox)), may_prepare_(may_prepare) {}
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  ~Borrowed();

  pg_conn* handle() const { return connection_; }
  const Identifier& outbox() const { return outbox_; }
  Result<Rows> run(std::string_view sql, const Parameters& parameters);

 private:
  Result<bool> may_prepare();
  Result<const std::string*> prepared(std::string_view sql, const Parameters& parameters);

  pg_conn* connection_;
  Identifier outbox_;
  bool may_prepare_;
  bool is_examined_ = false;
  std::unordered_map<const char*, std::string> names_;  ///< By the address of the embedded text.
};

bool is_success(const pg_result* result);
/// Makes the transaction fail, unless PostgreSQL has done so already.
void doom(pg_conn* connection);

}  // namespace makegood::postgres
