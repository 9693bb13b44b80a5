#include "engine/step_delivery.hpp"

#include <array>
#include <utility>

#include "base/log_row.hpp"

namespace makegood::engine {
namespace {

MessagePtr message_of(const core::SagaCallOut& call) {
  const Message& start = *call.start;
  auto message = new_message(std::to_array<MessageText>({{&Message::event_id, call.key},
                                                         {&Message::tenant_id, start.tenant_id},
                                                         {&Message::topic, start.topic},
                                                         {&Message::content, call.body},
                                                         {&Message::traceparent, start.traceparent},
                                                         {&Message::tracestate, start.tracestate}}));
  message->content_type = default_content_type(true);
  message->sequence = start.sequence;
  message->created_at = start.created_at;
  message->available_at = start.available_at;
  return message;
}

}  // namespace

std::string callback_url(const SagaCallback& callback, const SagaOptions& options) {
  if (options.callback_base_url.empty() || options.callback_key.empty()) return {};
  return options.callback_base_url + callback_path(options.callback_key, callback);
}

Delivery step_delivery(core::SagaCallOut call, const SagaOptions& options, const std::shared_ptr<const Lease>& lease) {
  auto step = std::make_shared<StepCall>(StepCall{.path = std::move(call.path),
                                                  .execution = std::string(call.start->event_id),
                                                  .step = call.step,
                                                  .direction = std::string(core::to_string(call.direction)),
                                                  .round = call.round,
                                                  .attempt = call.attempt,
                                                  .action_key = call.action_key,
                                                  .action_round = call.action_round,
                                                  .deadline = call.deadline,
                                                  .timeout = call.timeout});
  step->callback_url = callback_url({.tenant_id = std::string(call.start->tenant_id),
                                     .execution = step->execution,
                                     .step = step->step,
                                     .direction = step->direction,
                                     .round = step->round,
                                     .attempt = step->attempt},
                                    options);
  return {.message = message_of(call),
          .destination = std::move(call.destination),
          .outbox = options.log,
          .attempt = call.attempt,
          .ticket = call.ticket,
          .lease = lease,
          .call = std::move(step),
          .answer_bytes_max = core::output_bytes_max};
}

}  // namespace makegood::engine
