// What a process carries deliveries with: every kind of transport that it has, and the instances that its lanes share.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "makegood/destination.hpp"
#include "makegood/result.hpp"
#include "makegood/spi/transport.hpp"

namespace makegood {

/// A setting of a destination that can be said with a flag.
struct SettingFlag {
  enum class Form : std::uint8_t { text, texts, pairs, two_texts };
  std::string_view flag;    ///< `--url`
  std::string_view member;  ///< In the settings, as JSON: a text, a list of texts, or an object of texts.
  Form form = Form::text;
  std::string_view type;
  std::string_view meaning;
  std::string_view second_member = {};  ///< Of two texts.
};

class SourceKind;

/// Brings a transport into a process: whose destinations it carries, how they are set and checked, how it is opened. A
/// folder of src/transports has one, with the options of its process in it.
class TransportKind {
 public:
  /// A client that can only be emptied as a whole cannot be drained for one lane, so each lane's owner has its own.
  enum class Instances : std::uint8_t { one_for_all, one_per_lane };
  struct Changed {
    std::string settings = {};
    std::vector<std::string> lost_secrets = {};  ///< References to secrets that were there before, and are not now.
  };

  virtual ~TransportKind() = default;
  /// Of the names of its destinations; and the name of their settings in a document.
  virtual std::string_view scheme() const = 0;
  virtual Instances instances() const = 0;
  /// What the settings of a destination need at least, as in "a url".
  virtual std::string_view least() const = 0;
  virtual std::span<const SettingFlag> flags() const = 0;
  /// Settings as they are stored, when a document (JSON) changes those that are there. Every mistake in one error.
  virtual Result<Changed> change(std::string_view present, std::string_view document) const = 0;
  /// Whether the destination can be registered, and this process would send there; with its settings as they are
  /// stored.
  virtual Result<Destination> check(Destination destination) const = 0;
  virtual Result<std::unique_ptr<Transport>> open() const = 0;
  /// What reads from there; null: nothing does.
  virtual const SourceKind* source() const { return nullptr; }
};

/// The scheme of whoever carries to it: `custom:` is another word for `fn:`, the functions of a program.
std::string_view carrier_of(std::string_view destination);

/// Thread-safe.
class Transports {
 public:
  using Kinds = std::vector<std::unique_ptr<const TransportKind>>;
  /// What a lane sends with; destroyed after the lane.
  struct OfLane {
    std::vector<std::unique_ptr<Transport>> own = {};
    std::vector<Transport*> all = {};
  };

  explicit Transports(Kinds kinds) : kinds_(std::move(kinds)) {}

  const Kinds& kinds() const { return kinds_; }
  /// Null: it is of none of them.
  const TransportKind* kind_of(std::string_view destination) const;
  /// The instance that everybody shares, opened when it is first needed.
  Result<Transport*> shared(const TransportKind& kind);
  Result<OfLane> for_lane();

 private:
  // Constant after construction.
  const Kinds kinds_;

  std::mutex mutex_;
  std::map<const TransportKind*, std::unique_ptr<Transport>> shared_;  ///< Guarded by mutex_.
};

/// The kinds of this build, with the options that each begins with. It is beside their table.
std::shared_ptr<Transports> usual_transports();

}  // namespace makegood
