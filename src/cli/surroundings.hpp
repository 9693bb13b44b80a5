// What the configuration means for calls of the API, in the daemon and on a store alike.
#pragma once

#include <string>

#include "api/api.hpp"
#include "api/jobs.hpp"
#include "config/config.hpp"
#include "makegood/schema.hpp"

namespace makegood::cli {

/// What is not configuration. Schemas and jobs must outlive the surroundings.
struct Around {
  const PayloadSchemas* schemas = nullptr;
  api::Jobs* jobs = nullptr;
  Duration answer_wait = api::Surroundings{}.answer_wait;
  std::string version = {};
};

/// Destinations begin as the configuration says at this moment.
api::Surroundings surroundings_of(const config::Config& config, const Around& around);

}  // namespace makegood::cli
