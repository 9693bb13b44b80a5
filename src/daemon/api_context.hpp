// What the configuration means for calls of the API, in the daemon and on a store alike.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "api/api.hpp"
#include "api/jobs.hpp"
#include "config/config.hpp"
#include "makegood/schema.hpp"

namespace makegood::daemon {

/// What is not configuration. Schemas and jobs must outlive the api_context.
struct Around {
  const PayloadSchemas* schemas = nullptr;
  api::Jobs* jobs = nullptr;
  Duration answer_wait = api::ApiContext{}.answer_wait;
  std::string version = {};
  std::function<void(std::string_view)> warn = {};  ///< Of what is dangerous about a destination.
};

/// Destinations begin as the configuration says at this moment.
api::ApiContext api_context_of(const config::Config& config, const Around& around);

}  // namespace makegood::daemon
