// What operators ask for. A request never writes lane state by itself: the owner carries it out in a turn of its own,
// on the state that the look saw, and says in the request's row what came of it.
#include <algorithm>
#include <utility>

#include "core/lane.hpp"

namespace makegood::core {
namespace {

constexpr std::string_view done = "done";

bool speaks_of(const Turn::Change& change, const Request& request) {
  return change.row.sequence == request.asked.sequence && change.row.destination == request.asked.destination;
}

}  // namespace

void Lane::carry_out(const std::vector<Request>& requests) {
  for (const Request& request : requests) {
    // A second request for a row that this turn already changes has seen an old state: it stays open for the next turn.
    const bool is_stale =
        std::ranges::any_of(draft_->parked, [&](const Turn::Change& change) { return speaks_of(change, request); });
    if (!is_stale) draft_->answers.push_back({request.id, answer(request)});
  }
}

std::string Lane::answer(const Request& request) {
  if (request.asked.kind == RequestKind::rewind) return rewind();
  if (!request.row) return "refused: there is no such parked delivery";
  if (request.row->under_way) return "refused: it is being sent at this moment; ask again when it has ended";
  switch (request.asked.kind) {
    case RequestKind::replay:
      return replay(*request.row);
    case RequestKind::quarantine:
      return quarantine(*request.row);
    case RequestKind::release:
      return release_from_quarantine(*request.row);
    case RequestKind::rewind:
      break;
  }
  std::unreachable();
}

/// It starts anew with all its attempts, under the same event id, and takes the front of its key.
std::string Lane::replay(const Parked& row) {
  if (row.state != ParkedState::dead) {
    return "refused: only a dead delivery can be replayed; this one is " + std::string(to_string(row.state));
  }
  const auto destination = destinations_.find(row.destination);
  if (!destination) return "refused: its destination is not registered here";
  Parked again = row;
  again.state = ParkedState::waiting;
  again.attempts = 0;
  again.due_at = store_now_;
  again.blocks = blocks_key(again);
  if (again.blocks) {
    block(keys_.at(row.tenant_id, row.dispatch_key, *destination), row.sequence, {again.state, again.attempts});
  }
  park(std::move(again), AttemptNote{0, store_now_, "replayed"});
  ++replayed_count_;
  return std::string(done);
}

std::string Lane::quarantine(const Parked& row) {
  if (row.state == ParkedState::done || row.state == ParkedState::quarantined) {
    return "refused: it is " + std::string(to_string(row.state));
  }
  Parked put_away = row;
  put_away.state = ParkedState::quarantined;
  put_away.blocks = false;
  park(std::move(put_away), AttemptNote{row.attempts, store_now_, "quarantined"});
  const auto destination = destinations_.find(row.destination);
  if (!destination || row.dispatch_key.empty()) return std::string(done);
  Key& key = keys_.at(row.tenant_id, row.dispatch_key, *destination);
  key.blockers.erase(row.sequence);
  pass_on(key);
  return std::string(done);
}

std::string Lane::release_from_quarantine(const Parked& row) {
  if (row.state != ParkedState::quarantined) return "refused: it is not in quarantine";
  Parked back = row;
  back.state = ParkedState::dead;
  park(std::move(back), AttemptNote{row.attempts, store_now_, "released"});
  return std::string(done);
}

/// The store's counter lies below our position (a restored file): new rows would be taken for old ones. The operator
/// says that the position may go back to the counter.
std::string Lane::rewind() {
  if (counter_ >= reached_) return "refused: the counter is not behind the position";
  reached_ = counter_;
  std::erase_if(open_, [this](Sequence number) { return number > counter_; });
  std::erase_if(unread_, [this](const auto& hole) { return hole.first > counter_; });
  return std::string(done);
}

}  // namespace makegood::core
