// A database of its own for each measurement, and messages to fill it with.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "makegood/message.hpp"

namespace makegood::bench {

/// A folder that is removed at the end. It lies on the disk, not in memory: durability is part of what is measured.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string database() const { return (folder_ / "bench.db").string(); }
  std::string url() const { return "sqlite:" + database(); }

 private:
  std::filesystem::path folder_;
};

/// The message of performance.md 7.1: 256 bytes of JSON, a topic, two headers, a tenant.
NewMessage a_message();
/// Fills the outbox of this database, 1,000 messages to a transaction.
void preload(const Scratch& scratch, std::size_t count);
double median(std::vector<double> values);
double percentile(std::vector<double>& values, double share);

}  // namespace makegood::bench
