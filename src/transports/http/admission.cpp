#include "transports/http/admission.hpp"

#include <utility>

#include "makegood/spi/assert.hpp"

namespace makegood::http {
namespace {

Sending take_first(std::deque<Sending>& waiting) {
  Sending first = std::move(waiting.front());
  waiting.pop_front();
  return first;
}

}  // namespace

void Admission::started(Channel& channel) {
  MAKEGOOD_ASSERT(under_way_ < places_max_);
  ++under_way_;
  ++channel.under_way;
}

void Admission::ended(Channel& channel) {
  MAKEGOOD_ASSERT(under_way_ > 0 && channel.under_way > 0);
  --under_way_;
  --channel.under_way;
}

void Admission::wait(Channel& channel, Sending sending) {
  if (channel.waiting.empty()) line_.push_back(&channel);
  channel.waiting.push_back(std::move(sending));
}

void Admission::admit(const std::function<void(Channel&, Sending)>& start) {
  for (std::size_t refused_in_a_row = 0; refused_in_a_row < line_.size() && under_way_ < places_max_;) {
    Channel& channel = *line_.front();
    line_.pop_front();
    const bool is_admitted = has_place(channel);
    if (is_admitted) start(channel, take_first(channel.waiting));
    refused_in_a_row = is_admitted ? 0 : refused_in_a_row + 1;
    if (!channel.waiting.empty()) line_.push_back(&channel);
  }
}

std::vector<Sending> Admission::take_expired(MonotonicTime now) {
  std::vector<Sending> expired;
  for (Channel* channel : line_) {
    auto& waiting = channel->waiting;
    while (!waiting.empty() && waiting.front().deadline <= now) expired.push_back(take_first(waiting));
  }
  std::erase_if(line_, [](const Channel* channel) { return channel->waiting.empty(); });
  return expired;
}

void Admission::forget_waiting() {
  for (Channel* channel : line_) channel->waiting.clear();
  line_.clear();
}

void Admission::forget_waiting(const Completions& done) {
  for (Channel* channel : line_) {
    std::erase_if(channel->waiting, [&](const Sending& sending) { return sending.done == &done; });
  }
  std::erase_if(line_, [](const Channel* channel) { return channel->waiting.empty(); });
}

}  // namespace makegood::http
