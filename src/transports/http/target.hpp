// A destination's settings, read and checked once, ready for its requests.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "makegood/destination.hpp"
#include "makegood/http.hpp"
#include "transports/http/answer.hpp"
#include "transports/http/url.hpp"
#include "transports/net/guard.hpp"

namespace makegood::http {

struct Target {
  UrlPtr url;                              ///< Null: the topic holds it.
  std::vector<std::string> raw_prefixes;   ///< Normalised, each with a whole path.
  Trust trust = Trust::operators;          ///< Raw URLs are never trusted more than a tenant's.
  HttpSettings settings;                   ///< Its files are plain paths.
  std::vector<std::string> secret_places;  ///< Beginnings of references to secrets that it may use.
  AnswerTable answers;
  std::vector<std::string> constant_headers;  ///< `Name: value`, the same in each of its requests.
  std::vector<std::string> own_names;         ///< Of headers that a message cannot bring: the destination's count.
};
using TargetPtr = std::shared_ptr<const Target>;

/// Every mistake in one error.
Result<TargetPtr> make_target(const Destination& destination, const HttpOptions& options);

/// The URL of one delivery: the target's own, or the one that a raw topic names, if it is allowed.
Result<UrlPtr> url_for(const Target& target, std::string_view topic);

/// The URL of a call: its path below the target's own, before a query.
Result<UrlPtr> url_below(const Target& target, std::string_view path);

}  // namespace makegood::http
