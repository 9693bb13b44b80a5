// The bare libpq: prepared statements, binary results, one multi-row INSERT for many rows.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "bench/bare.hpp"
#include "bench/postgres_session.hpp"

namespace makegood::bench {

class BarePostgres final : public Bare {
 public:
  explicit BarePostgres(const std::string& url);

  void order(const NewMessage& message, std::size_t count) override;
  void insert(const NewMessage& message, std::size_t count) override;
  void ask() override;
  std::size_t read_and_append(std::size_t count) override;

 private:
  void insert_all(const NewMessage& message, std::size_t count);
  void insert_one(const NewMessage& message);
  void insert_many(const NewMessage& message, std::size_t count);
  void run_prepared(const char* name, const std::array<std::string, 5>& values);
  void append_turn();

  PostgresSession session_;
  std::int64_t reached_ = 0;
  std::int64_t turn_ = 0;
};

}  // namespace makegood::bench
