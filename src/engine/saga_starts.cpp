#include <utility>
#include <vector>

#include "base/error_table.hpp"
#include "engine/shared_commits.hpp"
#include "makegood/saga.hpp"

namespace makegood {

class SagaStarts::Parts {
 public:
  Parts(std::unique_ptr<SagaView> view, std::function<void()> started)
      : view_(std::move(view)), started_(std::move(started)) {}

  Result<Enqueued> start(const NewMessage& start) { return commits_.ask(start); }

 private:
  using Started = Result<Enqueued>;

  std::vector<Started> append(std::span<const NewMessage> starts) {
    std::vector<Started> all = append_together(starts);
    if (started_) started_();
    return all;
  }

  /// One that is refused must not hurt the others.
  std::vector<Started> append_together(std::span<const NewMessage> starts) {
    const auto appended = view_->append(starts);
    if (appended) return {appended->begin(), appended->end()};
    const bool is_one_bad = starts.size() > 1 && fault_of(appended.error().code) == Fault::caller;
    if (!is_one_bad) return std::vector<Started>(starts.size(), appended.error());
    std::vector<Started> all;
    for (const NewMessage& start : starts) all.push_back(append_together({&start, 1}).front());
    return all;
  }

  const std::unique_ptr<SagaView> view_;
  const std::function<void()> started_;
  SharedCommits<NewMessage, Started> commits_{[this](std::span<const NewMessage> starts) { return append(starts); }};
};

SagaStarts::SagaStarts(std::unique_ptr<SagaView> view, std::function<void()> started)
    : parts_(std::make_unique<Parts>(std::move(view), std::move(started))) {}
SagaStarts::~SagaStarts() = default;
SagaStarts::SagaStarts(SagaStarts&&) noexcept = default;
SagaStarts& SagaStarts::operator=(SagaStarts&&) noexcept = default;

Result<Enqueued> SagaStarts::start(const NewMessage& start) { return parts_->start(start); }

}  // namespace makegood
