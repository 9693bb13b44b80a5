// A store in a folder of its own, and the API on it: with a relay where requests must be carried out.
#pragma once

#include <rapidjson/document.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/api.hpp"
#include "api/jobs.hpp"
#include "makegood/http.hpp"
#include "makegood/node.hpp"
#include "makegood/spi/registry.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/temporary_folder.hpp"

namespace makegood::api {

inline constexpr const char* outbox = "makegood_outbox";

class Place {
 public:
  Place();
  ~Place();

  /// Below /api/outboxes/makegood_outbox, unless it begins with /.
  Answer get(const std::string& path, const std::string& query = {});
  Answer post(const std::string& path, const std::string& body = "{}");
  Answer put(const std::string& path, const std::string& body);
  Answer remove(const std::string& path);
  Answer call(const Call& call);

  OutboxStore& store() { return *store_; }
  Sequence enqueue(const NewMessage& message);
  /// One turn of an owner, who then gives the lane up: this is how things stand.
  void turn(std::vector<Turn::Change> parked, const Position& position = {});
  void register_routing(const Routing& routing);
  /// From now on requests are carried out, and messages are sent over HTTP.
  void start_relay();
  const std::string& url() const { return url_; }
  ApiContext& api_context() { return api_context_; }
  /// With these api_context, as they are now.
  void reopen() { api_ = std::make_unique<Api>(api_context_); }

 private:
  testing_support::TemporaryFolder folder_;
  std::string url_;
  ApiContext api_context_;
  std::unique_ptr<OutboxStore> store_;
  std::optional<Node> relay_;
  std::unique_ptr<Api> api_;
};

/// The value at a JSON pointer, as JSON: `"text"`, `12`, `null`; `missing` when there is none.
std::string at(const Answer& answer, const std::string& pointer);
/// The same of a text, without its quotes.
std::string text_at(const Answer& answer, const std::string& pointer);
std::int64_t number_at(const Answer& answer, const std::string& pointer);
std::size_t size_at(const Answer& answer, const std::string& pointer);
/// `detail` of a problem; or what the answer is instead.
std::string detail(const Answer& answer);

/// Asks again until it is so, for as long as anybody would wait.
bool eventually(const std::function<bool()>& is_so);

}  // namespace makegood::api
