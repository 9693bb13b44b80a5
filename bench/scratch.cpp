#include "bench/scratch.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "bench/business.hpp"
#include "bench/postgres_session.hpp"
#include "makegood/spi/assert.hpp"
#include "makegood/spi/registry.hpp"

namespace makegood::bench {

namespace {

std::string& server_url() {
  static std::string url;
  return url;
}

/// `postgres://somebody@somewhere/that?option` becomes `postgres://somebody@somewhere/this?option`.
std::string with_database(const std::string& url, const std::string& name) {
  const std::size_t options = std::min(url.find('?'), url.size());
  const std::size_t host = url.find("://") + 3;
  const std::size_t slash = std::min(url.find('/', host), options);
  return url.substr(0, slash) + "/" + name + url.substr(options);
}

void fill(const Scratch& scratch, std::size_t count, bool with_keys) {
  constexpr std::size_t per_transaction = 1000;
  auto store = open_store(scratch.url(), "makegood_outbox");
  MAKEGOOD_ASSERT(store.has_value());
  std::vector<NewMessage> batch(per_transaction, a_message());
  for (std::size_t done = 0; done < count; done += per_transaction) {
    for (std::size_t i = 0; with_keys && i < batch.size(); ++i) batch[i].dispatch_key = fmt::format("key-{}", done + i);
    MAKEGOOD_ASSERT((*store)->enqueue(batch));
  }
  if (scratch.is_postgres() && count > 0) PostgresSession(scratch.url()).run("CHECKPOINT");
}

}  // namespace

void Scratch::use_postgres(std::string url) { server_url() = std::move(url); }
Scratch::Kind Scratch::measured() { return server_url().empty() ? Kind::sqlite : Kind::postgres; }

Scratch::Scratch(Kind kind) {
  switch (kind) {
    case Kind::sqlite:
      make_folder();
      break;
    case Kind::postgres:
      make_postgres();
      break;
  }
}

void Scratch::make_folder() {
  const char* place = std::getenv("MAKEGOOD_BENCH_DIR");
  std::string pattern = std::string(place != nullptr ? place : ".") + "/makegood-bench-XXXXXX";
  MAKEGOOD_ASSERT(mkdtemp(pattern.data()) != nullptr);
  folder_ = pattern;
  url_ = "sqlite:" + (folder_ / "bench.db").string();
}

void Scratch::make_postgres() {
  static int count = 0;
  name_ = fmt::format("makegood_bench_{}_{}", getpid(), ++count);
  PostgresSession(server_url()).run("CREATE DATABASE " + name_);
  url_ = with_database(server_url(), name_);
  PostgresSession(url_).run(business_table_of_postgres);
}

Scratch::~Scratch() {
  if (!name_.empty()) PostgresSession(server_url()).run("DROP DATABASE IF EXISTS " + name_ + " WITH (FORCE)");
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

NewMessage a_message() {
  static std::mt19937_64 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same messages in every run.
  std::string filler;
  while (filler.size() < 190)
    filler += "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[random() % 64];
  return {.topic = "bench.evt",
          .payload = R"({"order":"1234567","amount":4200,"currency":"EUR","fill":")" + filler + "\"}",
          .tenant_id = "t0",
          .headers = {{"source", "bench"}, {"version", "1"}}};
}

void preload(const Scratch& scratch, std::size_t count) { fill(scratch, count, false); }
void preload_with_keys(const Scratch& scratch, std::size_t count) { fill(scratch, count, true); }

double median(std::vector<double> values) { return percentile(values, 0.5); }

double median_share(const std::vector<double>& ours, const std::vector<double>& limits) {
  std::vector<double> shares;
  for (std::size_t round = 0; round < ours.size(); ++round) shares.push_back(ours[round] / limits[round]);
  return median(shares);
}

double percentile(std::vector<double>& values, double share) {
  MAKEGOOD_ASSERT(!values.empty());
  std::ranges::sort(values);
  return values[std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())))];
}

}  // namespace makegood::bench
