// Which messages: the flags of `outbox list` and `outbox tail`.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cli/url_text.hpp"
#include "makegood/result.hpp"

namespace makegood::cli {

struct MessageFlags {
  std::string tenant = {};
  std::string topic = {};
  std::string key = {};
  std::string event_id = {};
  std::string state = {};
  std::string from = {};
  std::string until = {};
};

/// `--tenant` and `--topic`.
void add_topic_flags(CLI::App& verb, MessageFlags& flags);
/// Those, and the others.
void add_message_flags(CLI::App& verb, MessageFlags& flags);
Result<Query> query_of(const MessageFlags& flags);

}  // namespace makegood::cli
