// A database of its own for each measurement, and messages to fill it with.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "makegood/message.hpp"

namespace makegood::bench {

/// Removed at the end: a folder with a SQLite file, on the disk and not in memory, since durability is part of what is
/// measured; or a database on the PostgreSQL server that the program was given.
class Scratch {
 public:
  enum class Kind { sqlite, postgres };
  explicit Scratch(Kind kind = measured());
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  /// Where a server is: PostgreSQL is what is measured.
  static void use_postgres(std::string url);
  static Kind measured();
  bool is_postgres() const { return !name_.empty(); }

  const std::string& url() const { return url_; }

 private:
  void make_folder();
  void make_postgres();

  std::filesystem::path folder_;
  std::string name_;  ///< Of the database on the server.
  std::string url_;
};

/// The message of performance.md 7.1: 256 bytes of JSON, a topic, two headers, a tenant.
NewMessage a_message();
/// Fills the outbox of this database, 1,000 messages to a transaction.
void preload(const Scratch& scratch, std::size_t count);
/// The same, each message with a key of its own.
void preload_with_keys(const Scratch& scratch, std::size_t count);
double median(std::vector<double> values);
/// Of what was measured in the same rounds: from one to the next the machine changes more than the share.
double median_share(const std::vector<double>& ours, const std::vector<double>& limits);
double percentile(std::vector<double>& values, double share);

}  // namespace makegood::bench
