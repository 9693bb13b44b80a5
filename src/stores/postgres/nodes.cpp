#include "makegood/spi/nodes.hpp"

#include "makegood_store_postgres_sql.hpp"
#include "stores/postgres/connection.hpp"
#include "stores/postgres/postgres.hpp"

namespace makegood::postgres {
namespace {

/// A server that takes longer counts as away: a node that leaves must not wait for it for long.
constexpr auto answer_within = std::chrono::seconds(2);

class NodeTable final : public Nodes {
 public:
  explicit NodeTable(Connection connection) : connection_(std::move(connection)) {
    connection_.wait_at_most(answer_within);
  }

  Result<std::vector<NodeLoad>> beat(std::string_view node, std::size_t lanes) override {
    MAKEGOOD_TRY(connection_.reconnect_if_lost());
    Rows rows = MAKEGOOD_TRY(connection_.query(sql::node_beat, node, lanes));
    std::vector<NodeLoad> alive;
    while (rows.next()) {
      alive.push_back({.node = std::string(rows.text(0)), .lanes = static_cast<std::size_t>(rows.integer(1))});
    }
    return alive;
  }

  Result<> leave(std::string_view node) override { return connection_.execute(sql::node_leave, node); }

 private:
  Connection connection_;
};

}  // namespace

Result<std::unique_ptr<Nodes>> open_nodes(std::string_view url, std::string_view outbox) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  return std::unique_ptr<Nodes>(
      std::make_unique<NodeTable>(MAKEGOOD_TRY(Connection::open(std::string(url), identifier))));
}

}  // namespace makegood::postgres
