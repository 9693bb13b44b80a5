// Work that a server does as a job: followed with a bar until it has ended.
#pragma once

#include <string>

#include "cli/client.hpp"

namespace makegood::cli {

struct JobTexts {
  const char* done;   ///< As in `5 of 7 are sent again`.
  const char* again;  ///< When it has failed, as in `The replay has stopped`.
};

/// Until it has ended, or until everything is asked for and nobody has answered for `patience`. `job`: as it was begun;
/// answers how it stands at last.
Result<std::string> follow_job(Client& client, Duration patience, std::string job);
/// Says how it has ended.
Result<> end_of_job(const Program& program, const JobTexts& texts, const std::string& job);

}  // namespace makegood::cli
