#include "tests/support/postgres_schema.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "makegood/id.hpp"

namespace makegood::testing_support {
namespace {

using ResultPtr = std::unique_ptr<PGresult, decltype([](PGresult* result) { PQclear(result); })>;

bool is_good(const PGresult* result) {
  const ExecStatusType status = PQresultStatus(result);
  return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
}

std::string new_name() {
  std::string name = "test_" + new_ulid();
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; });
  return name;
}

}  // namespace

std::string postgres_url() {
  for (const char* name : {"MAKEGOOD_POSTGRES", "OUTBOX_TEST_DSN"}) {
    if (const char* url = std::getenv(name); url != nullptr) return url;
  }
  return {};
}

PostgresClient::PostgresClient(const std::string& url) : connection_(PQconnectdb(url.c_str())) {
  if (PQstatus(handle()) != CONNECTION_OK) throw std::runtime_error(PQerrorMessage(handle()));
  PQsetNoticeProcessor(handle(), [](void*, const char*) {}, nullptr);
}

std::string PostgresClient::run(const std::string& sql) const {
  const ResultPtr result(PQexec(handle(), sql.c_str()));
  if (!is_good(result.get())) throw std::runtime_error(PQresultErrorMessage(result.get()));
  return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
}

std::string PostgresClient::state_of(const std::string& sql) const {
  const ResultPtr result(PQexec(handle(), sql.c_str()));
  const char* state = PQresultErrorField(result.get(), PG_DIAG_SQLSTATE);
  return state != nullptr ? state : "";
}

PostgresSchema::PostgresSchema() : url_(postgres_url()), name_(new_name()) {
  PostgresClient(url_).run("CREATE SCHEMA " + name_);
}

PostgresSchema::~PostgresSchema() {
  try {
    PostgresClient(url_).run("DROP SCHEMA " + name_ + " CASCADE");
  } catch (const std::exception&) {  // The test took the server away.
  }
}

std::string PostgresSchema::url_within() const {
  const bool has_parameters = url_.find('?') != std::string::npos;
  return url_ + (has_parameters ? "&" : "?") + "options=-csearch_path%3D" + name_;
}

}  // namespace makegood::testing_support
