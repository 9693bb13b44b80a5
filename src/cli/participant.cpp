#include "cli/participant.hpp"

#include <fmt/format.h>

#include <array>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/log_row.hpp"
#include "core/saga/judgement.hpp"

namespace makegood::cli {
namespace {

constexpr std::string_view checked_tenant = "default";
constexpr std::string_view checked_step = "check-participant";

std::string key_of(const ParticipantRequest& request, core::Direction direction, std::uint32_t round) {
  return fmt::format("{}/{}/{}/{}/{}", checked_tenant, request.execution, checked_step, core::to_string(direction),
                     round);
}

core::Direction direction_of(const ParticipantRequest& request) {
  return request.is_compensation ? core::Direction::compensation : core::Direction::action;
}

std::string body_of_request(const ParticipantRequest& request) {
  if (!request.is_compensation) return request.input;
  return fmt::format(R"({{"input":{},"output":{}}})", request.input, request.output.empty() ? "null" : request.output);
}

std::shared_ptr<const StepCall> step_call(const ParticipantRequest& request, Duration timeout) {
  const TimePoint now = system_clock().now();
  auto call =
      std::make_shared<StepCall>(StepCall{.execution = request.execution,
                                          .step = std::string(checked_step),
                                          .direction = std::string(core::to_string(direction_of(request))),
                                          .round = request.round,
                                          .attempt = request.attempt,
                                          .deadline = request.is_late ? now - std::chrono::minutes(1) : now + timeout,
                                          .timeout = timeout});
  if (!request.is_compensation) return call;
  call->action_key = key_of(request, core::Direction::action, request.action_round);
  call->action_round = request.action_round;
  return call;
}

MessagePtr message_of(const ParticipantRequest& request, const std::string& body) {
  const std::string key = key_of(request, direction_of(request), request.round);
  auto message = new_message(std::to_array<MessageText>({{&Message::event_id, key},
                                                         {&Message::tenant_id, checked_tenant},
                                                         {&Message::topic, checked_step},
                                                         {&Message::content, body}}));
  message->content_type = default_content_type(true);
  message->created_at = message->available_at = system_clock().now();
  return message;
}

ParticipantAnswer answer_of(const ParticipantRequest& request, const Reply& reply) {
  core::SagaAnswer judged{.direction = direction_of(request)};
  core::judge_by_saga(reply, {}, false, judged);
  return {.outcome = judged.outcome,
          .is_accepted = judged.is_accepted,
          .has_left = reply.has_left(),
          .output = judged.output,
          .code = judged.code,
          .error = judged.error};
}

/// Collects what comes back, and lets somebody wait for all of it.
class Replies final : public Completions {
 public:
  explicit Replies(std::size_t count) : replies_(count) {}

  void post(std::vector<Report> reports) override {
    const std::lock_guard lock(mutex_);
    for (Report& report : reports) replies_.at(report.ticket) = std::move(report.reply);
    arrived_ += reports.size();
    all_here_.notify_all();
  }
  std::vector<Reply> wait() {
    std::unique_lock lock(mutex_);
    all_here_.wait(lock, [&] { return arrived_ == replies_.size(); });
    return std::move(replies_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_here_;
  std::vector<Reply> replies_;  // Guarded by mutex_, as all below.
  std::size_t arrived_ = 0;
};

}  // namespace

std::string to_string(const ParticipantAnswer& answer) {
  if (answer.is_accepted) return "202, which is answered later";
  std::string text(to_string(answer.outcome));
  for (const std::string& part : {answer.output, answer.code}) text += part.empty() ? "" : " " + part;
  return text;
}

class Participant::Calls {
 public:
  Calls(Settings settings, DestinationPtr action, DestinationPtr compensation, std::unique_ptr<Transport> transport)
      : settings_(std::move(settings)),
        action_(std::move(action)),
        compensation_(std::move(compensation)),
        transport_(std::move(transport)) {}

  std::vector<ParticipantAnswer> ask(const std::vector<ParticipantRequest>& requests,
                                     const std::function<void()>& meanwhile) {
    Replies replies(requests.size());
    std::vector<Delivery> deliveries;
    for (const ParticipantRequest& request : requests) deliveries.push_back(delivery_of(request, deliveries.size()));
    transport_->send(std::move(deliveries), replies);
    if (meanwhile) meanwhile();
    std::vector<ParticipantAnswer> answers;
    for (const Reply& reply : replies.wait()) answers.push_back(answer_of(requests[answers.size()], reply));
    transport_->drain(replies, Duration(0));
    return answers;
  }

 private:
  Delivery delivery_of(const ParticipantRequest& request, Ticket ticket) const {
    return {.message = message_of(request, body_of_request(request)),
            .destination = request.is_compensation ? compensation_ : action_,
            .outbox = checked_step,
            .attempt = request.attempt,
            .ticket = ticket,
            .call = step_call(request, settings_.timeout),
            .answer_bytes_max = core::output_bytes_max};
  }

  const Settings settings_;
  const DestinationPtr action_;
  const DestinationPtr compensation_;
  const std::unique_ptr<Transport> transport_;
};

Result<Participant> Participant::open(const Settings& settings) {
  auto action = MAKEGOOD_TRY(http_destination("action", settings.action));
  auto compensation = MAKEGOOD_TRY(http_destination("compensation", settings.compensation));
  return Participant(std::make_unique<Calls>(settings, std::make_shared<const Destination>(std::move(action)),
                                             std::make_shared<const Destination>(std::move(compensation)),
                                             MAKEGOOD_TRY(new_http_transport())));
}

Participant::Participant(std::unique_ptr<Calls> calls) : calls_(std::move(calls)) {}
Participant::Participant(Participant&&) noexcept = default;
Participant& Participant::operator=(Participant&&) noexcept = default;
Participant::~Participant() = default;

std::vector<ParticipantAnswer> Participant::ask(const std::vector<ParticipantRequest>& requests) {
  return calls_->ask(requests, {});
}

ParticipantAnswer Participant::ask(const ParticipantRequest& request, const std::function<void()>& meanwhile) {
  return calls_->ask({request}, meanwhile).front();
}

}  // namespace makegood::cli
