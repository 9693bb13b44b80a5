// What a store keeps of sources: which there are, and up to where each has been taken in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "makegood/message.hpp"
#include "makegood/result.hpp"
#include "makegood/spi/source.hpp"

namespace makegood {

/// A source as it is registered for an outbox.
struct SourceRow {
  std::string name;           ///< `kafka:orders`
  std::string document = {};  ///< Its settings, a JSON object.
  bool is_paused = false;
  std::int64_t version = 0;  ///< Grows with each change of the three above.
  std::string code = {};     ///< What keeps it from reading; empty: nothing.
  std::string trouble = {};
  std::optional<TimePoint> trouble_at = {};
};

struct SourcePlaceRow {
  SourcePlace place;
  std::int64_t taken = 0;   ///< Messages that were taken in, in all.
  std::int64_t behind = 0;  ///< What the broker had behind it then.
  TimePoint changed_at = {};
};

/// One partition goes on.
struct SourceMove {
  std::string partition;
  std::string was;  ///< Empty: nothing is known of it yet.
  std::string next;
  std::int64_t taken = 0;
  std::int64_t behind = 0;
};

/// What one transaction takes in.
struct Intake {
  std::string_view source;
  std::span<const SourceMove> moves;
  std::span<const NewMessage> messages;
};

/// One thread at a time per object.
class SourceStore {
 public:
  virtual ~SourceStore() = default;
  virtual Result<> migrate() = 0;

  virtual Result<std::vector<SourceRow>> sources() = 0;
  /// Adds it, or changes its document.
  virtual Result<> put(std::string_view name, std::string_view document) = 0;
  /// With all that is known of it. Errc::not_found.
  virtual Result<> remove(std::string_view name) = 0;
  /// Errc::not_found.
  virtual Result<> pause(std::string_view name, bool is_paused) = 0;
  /// What keeps it from reading, or nothing any more: two empty texts.
  virtual Result<> tell(std::string_view name, std::string_view code, std::string_view trouble) = 0;

  virtual Result<std::vector<SourcePlaceRow>> places(std::string_view source) = 0;
  /// An operator says where a partition goes on, whoever is reading it. Errc::not_found.
  virtual Result<> set_place(std::string_view source, const SourcePlace& place) = 0;

  /// All of it or nothing, and nothing unless each partition is where `was` says: Errc::fenced. Answers how many of the
  /// messages were there already.
  virtual Result<std::size_t> take_in(const Intake& intake) = 0;
};

/// The tables of the outbox must be there. Its own it makes only if `migrate`; without them every call answers
/// Errc::schema_mismatch.
Result<std::unique_ptr<SourceStore>> open_source_store(std::string_view url, std::string_view outbox,
                                                       bool migrate = false);
/// Its tables, as a script to read or to hand to another tool.
Result<std::string> source_migration_script(std::string_view url, std::string_view outbox);

}  // namespace makegood
