#include "stores/sql/outbox_view.hpp"

#include "stores/postgres/connection.hpp"
#include "stores/postgres/migrate.hpp"
#include "stores/postgres/postgres.hpp"

namespace makegood::postgres {

Result<std::unique_ptr<OutboxView>> open_outbox_view(std::string_view url, std::string_view outbox,
                                                     const Clock* instead) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  Connection connection = MAKEGOOD_TRY(Connection::open(std::string(url), identifier));
  MAKEGOOD_TRY(check_version(connection));
  return std::unique_ptr<OutboxView>(
      std::make_unique<relational::View>(std::make_unique<Connection>(std::move(connection)), instead));
}

}  // namespace makegood::postgres
