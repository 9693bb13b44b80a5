// What a process takes messages in with: the part of a transport that reads.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/transports.hpp"
#include "makegood/clock.hpp"
#include "makegood/result.hpp"
#include "makegood/spi/source.hpp"

namespace makegood {

/// How sources of one scheme are set, checked and opened.
class SourceKind {
 public:
  virtual ~SourceKind() = default;
  /// Of the names of its sources; and the name of their settings in a document.
  virtual std::string_view scheme() const = 0;
  /// What the settings of a source need at least.
  virtual std::string_view least() const = 0;
  virtual std::span<const SettingFlag> flags() const = 0;
  /// Settings (JSON) as they are stored: complete, and such that this process would read there. Every mistake in one
  /// error.
  virtual Result<std::string> check(const std::string& name, std::string_view settings) const = 0;
  /// Connects when it is first polled.
  virtual Result<std::unique_ptr<Source>> open(const std::string& name, std::string_view settings,
                                               const Clock& clock) const = 0;
};

/// How a source is read and what its messages become, as it is stored.
struct SourceDocument {
  std::string topic = {};            ///< Of its messages here; empty: what the message says, or else the broker's.
  std::string tenant_id = {};        ///< Whose they are; empty: what the message says, or else the default.
  std::size_t backlog_max = 10'000;  ///< So many messages may wait in the log before reading rests.
  std::string settings = {};         ///< Of its kind, a JSON object.
  bool operator==(const SourceDocument&) const = default;
};
std::string encode(const SourceDocument& document);
Result<SourceDocument> decode_source(std::string_view json);

}  // namespace makegood
