#include "makegood/sqlite.hpp"
#include "stores/sqlite/message_writer.hpp"

namespace makegood::sqlite {

class Enqueuer::Statements {
 public:
  explicit Statements(MessageWriter opened) : writer(std::move(opened)) {}
  MessageWriter writer;
};

Enqueuer::Enqueuer(std::unique_ptr<Statements> statements) : statements_(std::move(statements)) {}
Enqueuer::~Enqueuer() = default;
Enqueuer::Enqueuer(Enqueuer&&) noexcept = default;
Enqueuer& Enqueuer::operator=(Enqueuer&&) noexcept = default;

Result<Enqueuer> Enqueuer::open(sqlite3* db, EnqueueOptions options) {
  MessageWriter writer = MAKEGOOD_TRY(MessageWriter::open(db, std::move(options), system_clock(), process_ids()));
  return Enqueuer(std::make_unique<Statements>(std::move(writer)));
}

Result<Enqueued> Enqueuer::enqueue(const NewMessage& message) { return statements_->writer.write(message); }

Result<std::vector<Enqueued>> Enqueuer::enqueue(std::span<const NewMessage> messages) {
  std::vector<Enqueued> enqueued;
  enqueued.reserve(messages.size());
  for (const NewMessage& message : messages) enqueued.push_back(MAKEGOOD_TRY(statements_->writer.write(message)));
  return enqueued;
}

Result<Enqueued> enqueue(sqlite3* db, const NewMessage& message, const EnqueueOptions& options) {
  MessageWriter writer = MAKEGOOD_TRY(MessageWriter::open(db, options, system_clock(), process_ids()));
  return writer.write(message);
}

}  // namespace makegood::sqlite
