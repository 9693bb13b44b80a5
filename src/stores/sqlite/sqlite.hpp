// What the rest of the program may know of the SQLite store.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "makegood/clock.hpp"
#include "makegood/dead_letters.hpp"
#include "makegood/id.hpp"
#include "makegood/outbox_view.hpp"

namespace makegood::sqlite {

/// One connection of its own to the file at `path`. Creates the file, not the tables.
Result<std::unique_ptr<OutboxStore>> open_store(std::string_view path, std::string_view outbox, const Clock& clock,
                                                Ids& ids = process_ids());
/// Neither of these creates anything: Errc::not_found without a file, Errc::schema_mismatch without tables of this
/// version.
Result<std::unique_ptr<DeadLetterStore>> open_dead_letters(std::string_view path, std::string_view outbox,
                                                           const Clock& clock);
Result<std::unique_ptr<OutboxView>> open_outbox_view(std::string_view path, std::string_view outbox);

/// The numbered migrations of this outbox as one readable script.
Result<std::string> migration_script(std::string_view outbox);
/// Drops the outbox's tables. Refused while messages in it have not been delivered, unless `even_if_pending`.
Result<> migrate_down(std::string_view path, std::string_view outbox, bool even_if_pending);
/// Whether this file is a copy that has not been adopted: nothing is sent from it. Changes nothing.
Result<bool> is_copy(std::string_view path);
/// Accepts that this file is a copy: from now on it is the real one.
Result<> adopt(std::string_view path);
/// What an operator should know of the SQLite library in use; empty when there is nothing.
std::string version_warning();

}  // namespace makegood::sqlite
