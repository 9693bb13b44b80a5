// Everything that can be asked and done over REST, for the outboxes of one store.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.hpp"
#include "base/new_row.hpp"
#include "base/transports.hpp"
#include "makegood/clock.hpp"
#include "makegood/destination.hpp"
#include "makegood/idempotency.hpp"
#include "makegood/message.hpp"
#include "makegood/result.hpp"

namespace makegood::api {

/// What a call needs, and what a caller has. An operator may all; a viewer sees everything but what messages hold; a
/// producer enqueues, works under idempotency keys, starts sagas, tells them of events, and no more; `metrics` reads
/// the metrics and no more. A call for `anyone` carries a proof of its own, and nobody has that role.
enum class Role { anyone, metrics, producer, viewer, operate };
bool may(Role has, Role needed);

/// Where an operation is; `path` has its parameters in braces: `/api/outboxes/{outbox}/messages`.
struct RouteView {
  std::string_view method;
  std::string_view path;
  Role role = Role::viewer;  ///< What it needs.
};
/// All of them, for the OpenAPI document's test.
std::vector<RouteView> routes();
/// What this call needs; a path or a method that does not exist needs a viewer, who is then told so.
Role role_for(std::string_view method, std::string_view path);

/// The OpenAPI document, in YAML.
std::string_view openapi();

class Jobs;
class KeyFigures;
struct KeyNews;

/// What a relay of this process suffers from at this moment.
struct LiveAlarm {
  std::string outbox;
  Error error;
  TimePoint since;
  bool stops_lane = false;  ///< Nothing of the outbox is delivered until it is over.
};

/// What the process lends to its calls. All of it must outlive them and is used from several threads.
struct ApiContext {
  std::string store_url;
  std::vector<std::string> outboxes;
  std::shared_ptr<Transports> transports = usual_transports();  ///< What they would refuse is not registered.
  Jobs* jobs = nullptr;                            ///< Null: a replay by filter is carried out within its call.
  Duration answer_wait = std::chrono::seconds(2);  ///< How long a call waits for the owner to carry its request out.
  std::string version = {};
  EnqueueRules enqueue_rules = {};
  Duration expire_after = {};  ///< Of a message that says nothing; 0 = never.
  /// What a destination begins with that is put now. Null: as Destination is built.
  std::function<Destination()> destination_defaults = {};
  std::function<std::vector<LiveAlarm>()> alarms = {};  ///< Null: no relay runs in this process.
  bool makes_saga_tables = true;                        ///< With the first definition of a saga, or the first source.
  std::function<void()> sagas_changed = {};  ///< There is a new request to sagas, or the first definition. May be null.
  std::function<void()> sources_changed = {};  ///< There is another source, or one is another. May be null.
  // Of idempotency keys.
  ClaimRequest usual_claim = {};  ///< The times of a claim that says nothing.
  ResultLimits result_limits = {};
  std::function<Result<std::shared_ptr<const Seal>>()> seal = {};  ///< Of stored answers. Null: there is none.
  KeyFigures* key_figures = nullptr;                               ///< Null: nobody counts.
  std::function<void(const KeyNews&)> key_news = {};               ///< Must not wait. Null: nobody follows.
};

/// Answers calls, one at a time; a server has one for each of its workers. Opens its connections when they are needed,
/// and anew after an error.
class Api {
 public:
  explicit Api(const ApiContext& api_context);
  ~Api();
  Api(Api&&) noexcept;
  Api& operator=(Api&&) noexcept;
  /// Waits for what takes a moment.
  Answer handle(const Call& call);
  /// Waits for no more than the store: an answer with `later` wants to be asked again.
  Answer begin(const Call& call);

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace makegood::api
