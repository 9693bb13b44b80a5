#include "tests/conformance/store_suite.hpp"

#include <thread>
#include <utility>

namespace makegood::conformance {

LaneOwner::LaneOwner(OutboxStore& store, Owner name, Taken taken)
    : store_(store), name_(std::move(name)), taken_(std::move(taken)), turn_(taken_.turn) {}

Result<Committed> LaneOwner::try_commit(const Said& said) {
  const Turn turn{.owner = name_,
                  .after = turn_,
                  .lease = said.lease,
                  .position = said.position,
                  .mark = said.mark,
                  .set_back = said.set_back,
                  .parked = said.parked,
                  .answers = said.answers,
                  .messages = said.messages,
                  .routing = said.routing,
                  .oldest_routing = said.oldest_routing,
                  .clean = said.clean,
                  .is_rewind = said.is_rewind};
  const Committed committed = MAKEGOOD_TRY(store_.commit(turn));
  turn_ = committed.turn;
  return committed;
}

Found LaneOwner::look(LookFor wanted) const {
  wanted.owner = name_;
  return value_of(store_.look(wanted));
}

std::vector<DueDelivery> LaneOwner::due(const std::string& destination, std::size_t rows_max) const {
  return look({.owner = {}, .due = {{destination, rows_max}}}).due;
}

LookFor all_beyond(Sequence reached, std::vector<Sequence> numbers) {
  return {.owner = "somebody",
          .reached = reached,
          .numbers = std::move(numbers),
          .rows_max = 10'000,
          .bytes_max = std::size_t{64} << 20};
}

LookFor late_and_beyond(Sequence reached, NumberSet open) {
  LookFor wanted = all_beyond(reached);
  wanted.open = std::move(open);
  return wanted;
}

std::vector<std::string> names(const std::vector<MessagePtr>& rows) {
  std::vector<std::string> names;
  names.reserve(rows.size());
  for (const MessagePtr& row : rows) names.push_back(name_of(*row));
  return names;
}

std::vector<std::string> names(const std::vector<DueDelivery>& due) {
  std::vector<std::string> names;
  names.reserve(due.size());
  for (const DueDelivery& delivery : due) names.push_back(name_of(*delivery.message));
  return names;
}

std::vector<Sequence> sequences(const std::vector<MessagePtr>& rows) {
  std::vector<Sequence> sequences;
  sequences.reserve(rows.size());
  for (const MessagePtr& row : rows) sequences.push_back(row->sequence);
  return sequences;
}

Sequence StoreSuite::enqueue(const NewMessage& message) { return enqueue_all({message}).front(); }

std::vector<Sequence> StoreSuite::enqueue_all(std::initializer_list<NewMessage> messages) {
  std::vector<Sequence> numbers;
  for (const Enqueued& enqueued : value_of(store().enqueue(messages))) numbers.push_back(enqueued.sequence);
  return numbers;
}

std::vector<std::string> StoreSuite::log() { return names(value_of(store().look(all_beyond(0))).rows); }

Found StoreSuite::look_until_closed(const LookFor& wanted) {
  const auto give_up_at = std::chrono::steady_clock::now() + 10s;
  while (true) {
    Found found = value_of(store().look(wanted));
    if (found.open.empty() || std::chrono::steady_clock::now() > give_up_at) return found;
    std::this_thread::sleep_for(5ms);
  }
}

LaneOwner StoreSuite::take(OutboxStore& store, const Owner& name, const Owner& former) {
  auto taken = value_of(store.take(name, lease, former));
  if (!taken) throw std::runtime_error("the lane is owned by somebody else");
  return {store, name, *std::move(taken)};
}

}  // namespace makegood::conformance
