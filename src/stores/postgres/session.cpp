#include "stores/postgres/session.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <array>
#include <charconv>
#include <cstdlib>

#include "base/real_time.hpp"
#include "stores/postgres/failure.hpp"
#include "stores/postgres/pooler.hpp"
#include "stores/postgres/url.hpp"

namespace makegood::postgres {
namespace {

constexpr int binary_results = 1;

/// What stands before the URL gives way to what is in it; what stands after it does not. A peer that has vanished is
/// noticed well within one lease.
struct ConnectionSettings {
  explicit ConnectionSettings(const char* url) {
    add("fallback_application_name", "makegood");
    if (std::getenv("PGCONNECT_TIMEOUT") == nullptr) add("connect_timeout", "5");
    add("keepalives_idle", "3");
    add("keepalives_interval", "1");
    add("keepalives_count", "3");
    add("tcp_user_timeout", "6000");
    add("dbname", url);
    add("client_encoding", "UTF8");
  }
  void add(const char* name, const char* value) {
    names.at(count) = name;
    values.at(count++) = value;
  }
  std::array<const char*, 9> names{};  // The last one stays null.
  std::array<const char*, 9> values{};
  std::size_t count = 0;
};

}  // namespace

/// What is expected of the server, and what has come.
struct Session::Collected {
  struct Expected {
    Statement* prepared;  ///< Null: the answer of a step.
  };
  std::vector<Expected> expected = {};
  std::size_t next = 0;
  bool is_sent = false;
  bool is_complete = false;
  Answer answer = {};
};

Session::Session(pg_conn* connection) : connection_(connection) {}
Session::~Session() = default;

void Session::Finish::operator()(pg_conn* connection) const noexcept { PQfinish(connection); }

Result<std::unique_ptr<Session>> Session::connect(const std::string& url) {
  MAKEGOOD_TRY(check_url(url));
  const ConnectionSettings settings(url.c_str());
  return begin(PQconnectdbParams(settings.names.data(), settings.values.data(), 1));
}

Result<std::unique_ptr<Session>> Session::connect_to(const std::string& url, const Place& place) {
  UrlParts parts = MAKEGOOD_TRY(parts_of(url));
  for (const char* other : {"hostaddr", "target_session_attrs", "load_balance_hosts"}) parts.erase(other);
  parts["host"] = place.host;
  parts["port"] = place.port;
  parts["dbname"] = place.database;
  parts["connect_timeout"] = "2";
  parts["tcp_user_timeout"] = "2000";
  parts["fallback_application_name"] = "makegood";
  parts["client_encoding"] = "UTF8";
  std::vector<const char*> names, values;
  for (const auto& [name, value] : parts) {
    names.push_back(name.c_str());
    values.push_back(value.c_str());
  }
  names.push_back(nullptr);
  values.push_back(nullptr);
  return begin(PQconnectdbParams(names.data(), values.data(), 0));
}

Result<std::unique_ptr<Session>> Session::begin(pg_conn* connection) {
  std::unique_ptr<Session> session(new Session(connection));
  if (PQstatus(connection) != CONNECTION_OK) return lost_connection(connection);
  PQsetNoticeReceiver(connection, remember_warning, session.get());
  MAKEGOOD_TRY(session->find_out_about_pooler());
  // Or server and client could wait for each other, each with its buffers full.
  PQsetnonblocking(connection, 1);
  PQenterPipelineMode(connection);
  return session;
}

void Session::remember_warning(void* session, const PGresult* notice) {
  const char* severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
  if (severity == nullptr || std::string_view(severity) != "WARNING") return;
  const char* message = PQresultErrorField(notice, PG_DIAG_MESSAGE_PRIMARY);
  static_cast<Session*>(session)->warning_ = message != nullptr ? message : "a warning";
}

Result<> Session::find_out_about_pooler() {
  is_pooled_ = MAKEGOOD_TRY(postgres::is_pooled(handle()));
  may_prepare_ = !is_pooled_;
  return {};
}

bool Session::is_lost() const { return is_given_up_ || PQstatus(handle()) != CONNECTION_OK; }

bool Session::is_hung_up() const {
  pollfd socket{.fd = descriptor(), .events = POLLRDHUP, .revents = 0};
  return poll(&socket, 1, 0) > 0;
}

bool Session::is_in_transaction() const {
  const PGTransactionStatusType status = PQtransactionStatus(handle());
  return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
}

int Session::descriptor() const { return PQsocket(handle()); }

void Session::lose() { is_given_up_ = true; }

Session::Statement& Session::statement_for(std::string_view sql, const Identifier& outbox) {
  const auto [entry, is_new] = statements_.try_emplace(sql.data());
  if (is_new) entry->second = {.text = outbox.into(sql), .name = fmt::format("makegood_{}", statements_.size())};
  return entry->second;
}

bool Session::send(const Step& step, Statement& statement, Collected& collected) {
  const Parameters::Pointers values = step.values.pointers();
  const int count = step.values.count();
  collected.expected.push_back({nullptr});
  if (!may_prepare_) {
    return PQsendQueryParams(handle(), statement.text.c_str(), count, step.values.types(), values.values.data(),
                             values.lengths.data(), values.formats.data(), binary_results) == 1;
  }
  if (!statement.is_prepared) {
    collected.expected.back().prepared = &statement;
    collected.expected.push_back({nullptr});
    const bool is_sent =
        PQsendPrepare(handle(), statement.name.c_str(), statement.text.c_str(), count, step.values.types()) == 1;
    if (!is_sent) return false;
    statement.is_prepared = true;  // For the same statement further down this batch, too.
  }
  return PQsendQueryPrepared(handle(), statement.name.c_str(), count, values.values.data(), values.lengths.data(),
                             values.formats.data(), binary_results) == 1;
}

Session::Answer Session::run(std::span<const Step> steps, const Identifier& outbox) {
  send(steps, outbox);
  return receive();
}

void Session::send(std::span<const Step> steps, const Identifier& outbox) {
  Collected& collected = under_way_.emplace_back();
  collected.is_sent = !is_lost();
  for (const Step& step : steps) {
    collected.is_sent = collected.is_sent && send(step, statement_for(step.sql, outbox), collected);
  }
  collected.is_sent = collected.is_sent && PQpipelineSync(handle()) == 1 && flush(real_now() + patience_);
}

Session::Answer Session::receive() {
  warning_.clear();
  Collected collected = std::move(under_way_.front());
  under_way_.pop_front();
  if (collected.is_sent && !is_lost()) collect(collected, real_now() + patience_);
  if (!collected.is_complete) {
    lose();
    if (!collected.answer.error) collected.answer.error = lost_connection(handle());
    collected.answer.state.clear();
  }
  collected.answer.warning = std::move(warning_);
  return std::move(collected.answer);
}

bool Session::await(short events, MonotonicTime deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - real_now());
  if (left.count() <= 0) return false;
  pollfd socket{.fd = descriptor(), .events = events, .revents = 0};
  const int count = poll(&socket, 1, static_cast<int>(left.count()));
  if (count < 0) return errno == EINTR;
  return (socket.revents & POLLIN) == 0 || PQconsumeInput(handle()) == 1;
}

bool Session::flush(MonotonicTime deadline) {
  while (true) {
    const int left = PQflush(handle());
    if (left <= 0) return left == 0;
    if (!await(POLLIN | POLLOUT, deadline)) return false;
  }
}

ResultPtr Session::next_result(MonotonicTime deadline) {
  while (PQisBusy(handle()) != 0) {
    if (!await(POLLIN, deadline)) return nullptr;
  }
  return ResultPtr(PQgetResult(handle()));
}

/// Up to the end of the batch. Between two answers there is a null; two of them in a row mean that no more will come.
void Session::collect(Collected& collected, MonotonicTime deadline) {
  Answer& answer = collected.answer;
  for (int nulls = 0; nulls < 2;) {
    ResultPtr result = next_result(deadline);
    nulls = result == nullptr ? nulls + 1 : 0;
    if (result == nullptr) continue;
    const ExecStatusType status = PQresultStatus(result.get());
    if (status == PGRES_PIPELINE_SYNC) {
      collected.is_complete = true;
      return;
    }
    if (collected.next == collected.expected.size()) return;
    Statement* prepared = collected.expected[collected.next++].prepared;
    const bool is_good = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
    if (prepared != nullptr) prepared->is_prepared = is_good;
    if (is_good && prepared == nullptr) {
      answer.rows.emplace_back(std::move(result));
    } else if (!is_good && !answer.error && status != PGRES_PIPELINE_ABORTED) {
      answer.error = failure(result.get());
      answer.state = state_of(result.get());
    }
  }
}

Result<> Session::run_script(const std::string& sql) {
  PQexitPipelineMode(handle());
  PQsetnonblocking(handle(), 0);
  const ResultPtr result(PQexec(handle(), sql.c_str()));
  const ExecStatusType status = PQresultStatus(result.get());
  PQsetnonblocking(handle(), 1);
  PQenterPipelineMode(handle());
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY) return {};
  return failure(result.get());
}

}  // namespace makegood::postgres
