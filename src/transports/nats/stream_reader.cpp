#include "transports/nats/stream_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/json.hpp"
#include "transports/nats/listener.hpp"

namespace makegood::nats {
namespace {

/// Behind the time after which the server says that there is nothing.
constexpr Duration pull_patience = std::chrono::seconds(10);
/// A consumer that nobody asks is forgotten.
constexpr std::int64_t inactive_ns = 60'000'000'000;
constexpr std::int64_t stream_not_found = 10059;

Error refusal(const json::Value& error, const std::string& stream) {
  const auto number = json::number_in(error, "err_code", 0);
  const auto description = json::text_in(error, "description");
  if (number && *number == stream_not_found) {
    return {Errc::unavailable, fmt::format("NATS has no stream {}.", stream)};
  }
  return {Errc::unavailable, fmt::format("NATS does not let the stream {} be read: {} ({}).", stream,
                                         description ? *description : "it does not say why", number ? *number : 0)};
}

}  // namespace

Result<std::unique_ptr<Source>> StreamReader::open(NatsSourceSettings settings, broker::Access access,
                                                   const BrokerOptions& options, const Clock& clock) {
  std::unique_ptr<StreamReader> reader(new StreamReader(std::move(settings), clock));
  const auto converse = [self = reader.get(), username = access.username](broker::Credentials credentials) {
    auto listener = std::make_unique<Listener>(self->settings_.stream, username, std::move(credentials));
    self->listener_ = listener.get();
    return std::unique_ptr<broker::Conversation>(std::move(listener));
  };
  reader->dialogue_ = MAKEGOOD_TRY(broker::Dialogue::with(std::move(access), options, clock, converse));
  return std::unique_ptr<Source>(std::move(reader));
}

Result<> StreamReader::connect() {
  if (dialogue_->is_open()) return {};
  consumer_.clear();  // Nobody sends us anything any more.
  return dialogue_->open();
}

Result<std::string> StreamReader::ask(const std::string& subject, const std::string& question) {
  listener_->ask(subject, question);
  MAKEGOOD_TRY(dialogue_->await([this] { return listener_->answer().has_value(); }));
  return *listener_->answer();
}

Result<StreamReader::State> StreamReader::state() {
  const std::string answer = MAKEGOOD_TRY(ask("$JS.API.STREAM.INFO." + settings_.stream, ""));
  const auto info = json::parse_object(answer);
  if (!info) return garbled();
  if (const auto* error = json::member(*info, "error"); error != nullptr && error->IsObject()) {
    return refusal(*error, settings_.stream);
  }
  const auto state = json::object_in(*info, "state");
  if (!state) return garbled();
  return State{MAKEGOOD_TRY(json::number_in(**state, "first_seq", 0)),
               MAKEGOOD_TRY(json::number_in(**state, "last_seq", 0))};
}

Result<std::string> StreamReader::first(const std::string& /*partition*/) {
  MAKEGOOD_TRY(connect());
  const State state = MAKEGOOD_TRY(this->state());
  const bool is_earliest = settings_.begin == SourceBegin::earliest;
  return std::to_string(is_earliest ? std::max<std::int64_t>(1, state.first) : state.last + 1);
}

/// What was removed before it was taken in, or a stream that was made anew, is gone.
Result<> StreamReader::start(const std::vector<SourcePlace>& places) {
  MAKEGOOD_TRY(connect());
  consumer_.clear();
  is_lost_ = false;
  for (const SourcePlace& place : places) {
    const std::int64_t number = number_in(place.next);
    if (number < 1) {
      return Error{Errc::invalid,
                   fmt::format("A place in {} is a number of the stream, not {}.", place.partition, place.next)};
    }
    const State state = MAKEGOOD_TRY(this->state());
    is_lost_ = number < state.first || number > state.last + 1;
    if (!is_lost_) MAKEGOOD_TRY(begin_at(number));
  }
  return {};
}

Result<> StreamReader::begin_at(std::int64_t number) {
  rapidjson::StringBuffer text;
  json::Writer writer(text);
  writer.StartObject();
  json::write(writer, "stream_name", std::string_view(settings_.stream));
  json::write_name(writer, "config");
  writer.StartObject();
  json::write(writer, "deliver_policy", std::string_view("by_start_sequence"));
  json::write(writer, "opt_start_seq", number);
  json::write(writer, "ack_policy", std::string_view("none"));
  json::write(writer, "replay_policy", std::string_view("instant"));
  json::write(writer, "inactive_threshold", inactive_ns);
  json::write(writer, "mem_storage", true);
  if (!settings_.subject.empty()) json::write(writer, "filter_subject", std::string_view(settings_.subject));
  writer.EndObject();
  writer.EndObject();
  const std::string answer = MAKEGOOD_TRY(ask("$JS.API.CONSUMER.CREATE." + settings_.stream, text.GetString()));
  const auto made = json::parse_object(answer);
  if (!made) return garbled();
  if (const auto* error = json::member(*made, "error"); error != nullptr && error->IsObject()) {
    return refusal(*error, settings_.stream);
  }
  consumer_ = MAKEGOOD_TRY(json::text_in(*made, "name"));
  behind_ = MAKEGOOD_TRY(json::number_in(*made, "num_pending", 0));
  expected_ = number;
  listener_->listen_to(consumer_);
  return {};
}

Result<Polled> StreamReader::poll(const PollLimits& limits, Duration wait) {
  MAKEGOOD_TRY(connect());
  Polled polled;
  if (!std::exchange(has_told_, true)) {
    polled.partitions = {settings_.stream};
    return polled;
  }
  if (!is_held_ && !consumer_.empty()) {
    MAKEGOOD_TRY(pull(limits));
    if (listener_->found().empty()) MAKEGOOD_TRY(dialogue_->listen(wait));
    MAKEGOOD_TRY(hand_over(limits, polled));
  } else {
    MAKEGOOD_TRY(dialogue_->listen(wait));
  }
  if (std::exchange(is_lost_, false)) polled.gone = {settings_.stream};
  return polled;
}

/// One question at a time, and a batch of bounded size. A message that is larger than that comes alone.
Result<> StreamReader::pull(const PollLimits& limits) {
  const MonotonicTime now = clock_.monotonic();
  if (listener_->awaited() > 0) {
    if (now < pulled_until_) return {};
    dialogue_->close();
    return Error{Errc::unavailable, "NATS has forgotten who reads."};
  }
  if (!listener_->found().empty()) return {};
  const bool is_alone = listener_->is_next_too_large();
  const std::string subject = fmt::format("$JS.API.CONSUMER.MSG.NEXT.{}.{}", settings_.stream, consumer_);
  listener_->pull(subject, is_alone ? 1 : limits.rows_max, is_alone ? 0 : limits.bytes_max);
  pulled_until_ = now + pull_patience;
  return {};
}

/// Numbers that are left out were of other subjects, or were deleted one by one; unless the stream begins behind them
/// by now: then perhaps nobody has read them.
Result<bool> StreamReader::is_whole_before(std::int64_t number) {
  if (number <= expected_) return true;
  const State state = MAKEGOOD_TRY(this->state());
  return state.first <= expected_;
}

Result<> StreamReader::hand_over(const PollLimits& limits, Polled& polled) {
  auto& found = listener_->found();
  std::size_t bytes = 0;
  while (!found.empty() && polled.arrivals.size() < limits.rows_max && bytes < limits.bytes_max) {
    if (!MAKEGOOD_TRY(is_whole_before(found.front().number))) return lose(), Result<>();
    expected_ = found.front().number + 1;
    behind_ = found.front().left;
    bytes += found.front().arrival.value->size();
    polled.arrivals.push_back(std::move(found.front().arrival));
    found.pop_front();
  }
  return {};
}

void StreamReader::lose() {
  is_lost_ = true;
  consumer_.clear();
  listener_->listen_to({});
}

}  // namespace makegood::nats
