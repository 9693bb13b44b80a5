#include "stores/sql/outbox_view.hpp"

#include "stores/sqlite/connection.hpp"
#include "stores/sqlite/migrate.hpp"
#include "stores/sqlite/sqlite.hpp"

namespace makegood::sqlite {

Result<std::unique_ptr<OutboxView>> open_outbox_view(std::string_view path, std::string_view outbox,
                                                     const Clock& clock) {
  const Identifier identifier = MAKEGOOD_TRY(Identifier::from(outbox));
  Connection connection = MAKEGOOD_TRY(Connection::open_existing(path, identifier));
  // Before anything is changed in a file that may be somebody else's.
  MAKEGOOD_TRY(check_version(connection));
  MAKEGOOD_TRY(connection.use_write_ahead_log());
  return std::unique_ptr<OutboxView>(
      std::make_unique<relational::View>(std::make_unique<Connection>(std::move(connection)), &clock));
}

}  // namespace makegood::sqlite
