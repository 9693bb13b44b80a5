// A delivery is a message on its way to one destination; an outcome is what came of one attempt at it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "makegood/destination.hpp"
#include "makegood/message.hpp"

namespace makegood {

/// Names one attempt within its lane. An answer to a ticket that the lane no longer knows is dropped.
using Ticket = std::uint64_t;

/// Until when an owner may send. It is compared where a request leaves, not only where it is decided on: between the
/// two a process may stand still, and another owner sends the same messages. Shared by the owner, who extends it with
/// each turn, and by transports, who ask. Thread-safe.
class Lease {
 public:
  /// Time since the machine was started. Unlike a monotonic clock it goes on while the machine is suspended, as the
  /// database's clock does.
  static Duration now() noexcept;

  explicit Lease(Duration until) : until_(until) {}
  void extend(Duration until) noexcept { until_.store(until, std::memory_order_relaxed); }
  /// The lane is lost: nothing more of this ownership may leave.
  void end() noexcept { extend(Duration::min()); }
  bool is_over() const noexcept { return now() >= until_.load(std::memory_order_relaxed); }

 private:
  std::atomic<Duration> until_;
};

/// A step of a saga, as its participant is called. The message beside it has the key as its event id, the definition's
/// name as its topic, and what is sent as its content.
struct StepCall {
  std::string path = {};  ///< Below the URL of its destination.
  std::string execution;
  std::string step;
  std::string direction;  ///< `action`, `compensation` or `check`.
  std::uint32_t round = 0;
  std::uint32_t attempt = 0;
  std::string action_key = {};  ///< Of a compensation or a check: the action's key, of its highest round.
  std::uint32_t action_round = 0;
  TimePoint deadline = {};  ///< The participant must not run it afterwards, if it promises so.
  Duration timeout = {};
  std::string callback_url = {};  ///< Where it is answered later; empty: it cannot be.
};

/// What a transport is asked to send, and what a handler receives.
struct Delivery {
  MessagePtr message;
  DestinationPtr destination;
  std::string_view outbox;    ///< The table it came from; outlives the delivery.
  std::uint32_t attempt = 1;  ///< Counted before the send, whatever comes of it.
  Ticket ticket = 0;
  std::string_view incarnation = {};  ///< Of the database: numbers of two incarnations cannot be compared. Outlives it.
  std::shared_ptr<const Lease> lease = {};    ///< Of whoever sends it; null: nobody else could have taken it over.
  std::shared_ptr<const StepCall> call = {};  ///< Null: it is a message.
  std::size_t answer_bytes_max = 0;  ///< So much of an answer's body is kept, with its headers; 0: nobody reads them.
  /// The number of the replay that sends it, unique in its outbox; 0: it is delivered for the first time. A broker that
  /// drops repeats must tell a replay from a repeated attempt.
  std::int64_t replay = 0;
  /// Certainly nothing of it was sent before, by any owner. False: it may have arrived already.
  bool is_first = false;

  /// How long an answer is waited for.
  Duration timeout() const { return call != nullptr ? call->timeout : destination->timeout; }
  /// Asked by a transport at the last moment before the first byte leaves, or the handler is called. False: another may
  /// have sent it meanwhile, and the reply is `Reply::What::withheld`.
  bool may_leave() const { return lease == nullptr || !lease->is_over(); }
};

/// How an outbox judges one attempt, and what a handler answers. `code` is a stable text, ours (`TX.TIMEOUT`) or the
/// handler's (`INSUFFICIENT_FUNDS`).
struct Outcome {
  enum class Kind : std::uint8_t { ok, retry, fail, gone, returned };
  /// What an attempt that has to be repeated tells about the destination.
  enum class Reach : std::uint8_t {
    answered,     ///< Somebody there has dealt with it: the attempt counts.
    unreachable,  ///< Nobody was there, or only somebody who says so (503): it costs time and no attempt.
    silent,       ///< It left and nothing came back: counts only if others of the destination are answered meanwhile.
  };

  static Outcome ok() { return {}; }
  /// Try again later. The destination has dealt with it, and this was one of its attempts.
  static Outcome retry(std::string code, std::string detail = {}) {
    return {Kind::retry, std::move(code), std::move(detail)};
  }
  /// Never try again: it becomes a dead letter.
  static Outcome fail(std::string code, std::string detail = {}) {
    return {Kind::fail, std::move(code), std::move(detail)};
  }

  /// The destination says that it wants nothing any more: it is disabled, and what was for it waits.
  static Outcome gone(std::string code, std::string detail = {}) {
    return {Kind::gone, std::move(code), std::move(detail)};
  }

  /// Try again later: the destination could not be reached, which is not the message's fault.
  static Outcome unreachable(std::string code, std::string detail = {}) {
    return {Kind::retry, std::move(code), std::move(detail), {}, Reach::unreachable};
  }
  /// Try again later: nothing was heard of it.
  static Outcome silent(std::string code, std::string detail = {}) {
    return {Kind::retry, std::move(code), std::move(detail), {}, Reach::silent};
  }
  /// It was certainly not sent: the attempt is given back.
  static Outcome returned() { return {Kind::returned}; }

  /// Whether the destination has said anything at all.
  bool is_answer() const { return kind != Kind::returned && reach == Reach::answered; }

  Kind kind = Kind::ok;
  std::string code = {};
  std::string detail = {};    ///< For operators; cut to 2 KiB of valid UTF-8 before it is stored. Never a payload.
  Duration retry_after = {};  ///< Of a retry: the destination asked for nothing before this has passed; 0: it did not.
  Reach reach = Reach::answered;
};

/// What came of one send, as its transport saw it. What that means is judged by whoever has sent it, by a table of his
/// own: an outbox by `judged_by_outbox`.
struct Reply {
  enum class What : std::uint8_t {
    answered,     ///< With a status, or a verdict of its own.
    garbled,      ///< Something came back that is no answer.
    silent,       ///< It left, at least a part of it, and nothing came back: it may have arrived.
    unreachable,  ///< It did not leave: nobody was there, or something here has to be mended.
    unsendable,   ///< It did not leave and never can.
    withheld,     ///< It did not leave: its lease was over when its turn came.
  };
  /// What an answer holds, as far as it was asked for (`Delivery::answer_bytes_max`).
  struct Content {
    std::vector<std::pair<std::string, std::string>> headers = {};
    std::string body = {};
    bool is_cut = false;  ///< There was more of the body.
  };

  static Reply said(Outcome outcome);
  static Reply silent(std::string code, std::string detail) {
    return {What::silent, std::move(code), std::move(detail)};
  }
  static Reply unreachable(std::string code, std::string detail) {
    return {What::unreachable, std::move(code), std::move(detail)};
  }
  static Reply unsendable(std::string code, std::string detail) {
    return {What::unsendable, std::move(code), std::move(detail)};
  }
  static Reply withheld() { return {What::withheld}; }

  bool has_left() const { return what == What::answered || what == What::garbled || what == What::silent; }

  What what = What::answered;
  std::string code = {};                      ///< A stable text, as in `HTTP.404`.
  std::string detail = {};                    ///< For operators. Never a payload.
  int status = 0;                             ///< As HTTP has them; 0: none.
  std::optional<Outcome::Kind> verdict = {};  ///< Of the receiver itself, or of its settings: before every table.
  Duration retry_after = {};                  ///< Nothing before this has passed; 0: it did not say.
  std::shared_ptr<const Content> content = {};
};

/// What a transport posts.
struct Report {
  Ticket ticket = 0;
  Reply reply = {};
};

/// What a lane is told.
struct Completion {
  Ticket ticket = 0;
  Outcome outcome = {};
};

/// The outbox's table.
Outcome judged_by_outbox(Reply reply);

}  // namespace makegood
