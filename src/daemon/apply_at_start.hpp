// `serve --apply`: destinations and routes of files, made so once the stores are there.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "api/api.hpp"
#include "observe/log.hpp"

namespace makegood::daemon {

/// Makes a call in this process: `api.handle(call)`.
using HandleCall = std::function<api::Answer(const api::Call&)>;
/// Makes it so by such calls, and answers the lines of all differences. Files that name no outbox mean `only_outbox`.
using ApplyFiles =
    std::function<Result<std::vector<std::string>>(const std::string& only_outbox, const HandleCall& handle)>;

/// Tries again while anything is away. An error is a mistake in the files, which no time mends.
Result<> apply_at_start(const ApplyFiles& apply_files, const api::ApiContext& api_context, observe::Log& log,
                        const std::stop_token& stop);

}  // namespace makegood::daemon
