#include "stores/postgres/wake_up.hpp"

#include <libpq-fe.h>
#include <sys/epoll.h>

#include <algorithm>

#include "makegood_store_postgres_sql.hpp"

namespace makegood::postgres {
namespace {

using namespace std::chrono_literals;

/// When it rings more often than this, asking is cheaper for everybody.
constexpr auto counting_time = 100ms;
constexpr unsigned rings_max = 50;

/// Falling asleep and being woken again costs more than asking for so long.
constexpr auto rest_time = 100ms;

}  // namespace

WakeUp::WakeUp() : events_(epoll_create1(EPOLL_CLOEXEC)) {}

void WakeUp::expect_more(Time now) { expecting_until_ = now + rest_time; }

void WakeUp::begin(Connection& store) {
  if (session_ != nullptr && !session_->is_lost()) return;
  stop();
  if (store.is_pooled()) return;
  auto wanted = store.query(sql::read_wake_up, store.outbox().qualified());
  if (!wanted || !wanted->next()) return;
  auto session = Session::connect(store.url());
  if (!session || !(*session)->run_script("LISTEN " + quoted(wanted->text(0)))) return;
  session_ = *std::move(session);
  outbox_ = store.outbox();
  lock_ = wanted->integer(1);
}

void WakeUp::stop() {
  session_.reset();  // What it held is free, and epoll forgets it.
  is_asleep_ = false;
}

bool WakeUp::ask(std::string_view sql) {
  const Step step{sql, Parameters(lock_)};
  Session::Answer answer = session_->run({&step, 1}, *outbox_);
  if (answer.error) {
    stop();
    return false;
  }
  answer.rows.front().next();
  return answer.rows.front().boolean(0);
}

/// While awake it is not watched: nobody would take what comes.
void WakeUp::watch(bool is_on) {
  epoll_event event{.events = EPOLLIN, .data = {}};
  epoll_ctl(events_.number(), is_on ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, session_->descriptor(), &event);
}

bool WakeUp::fall_asleep(Time now) {
  if (is_asleep_ || session_ == nullptr) return is_asleep_;
  if (is_restless_ && now < expecting_until_) return false;
  is_restless_ = false;
  is_asleep_ = ask(sql::fall_asleep);
  if (!is_asleep_) return false;
  consume();  // From before we slept.
  watch(true);
  return true;
}

void WakeUp::wake() {
  watch(false);
  is_asleep_ = false;
  ask(sql::wake_up);
}

/// How many have rung; also one when the session is lost, so that somebody looks.
unsigned WakeUp::consume() {
  if (PQconsumeInput(session_->handle()) != 1) {
    stop();
    return 1;
  }
  unsigned count = 0;
  while (PGnotify* notice = PQnotifies(session_->handle())) {
    PQfreemem(notice);
    ++count;
  }
  return count;
}

bool WakeUp::was_rung(Time now) {
  if (session_ == nullptr) return false;
  const unsigned count = consume();
  rung_count_ += count;
  const auto spans = std::max<std::int64_t>((now - counted_since_) / counting_time, 1);
  const bool is_too_often = rung_count_ > rings_max * spans;
  if (is_too_often && is_asleep_) {
    is_restless_ = true;
    wake();
  }
  if (is_too_often || now - counted_since_ >= counting_time) {
    counted_since_ = now;
    rung_count_ = 0;
  }
  return count > 0;
}

}  // namespace makegood::postgres
