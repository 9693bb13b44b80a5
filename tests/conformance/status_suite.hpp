// What a store with tables shows of its messages in SQL, to whoever has nothing but a shell.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/conformance/store_suite.hpp"

namespace makegood::conformance {

class StatusSuite : public StoreSuite {
 protected:
  StatusSuite() {
    for (int i = 1; i <= 8; ++i) enqueue(a_message("m" + std::to_string(i)));
  }

  /// A turn of the owner "a", which takes the lane for its first.
  void commit(const Said& said) {
    if (!owner_) owner_.emplace(take());
    owner_->commit(said);
  }

  std::string ask(const std::string& sql) { return shell_->ask(sql); }
  std::string columns_of(const std::string& view) { return shell_->columns_of(view); }
  /// One column of these rows, with blanks in between.
  std::string listed(const std::string& column, const std::string& rows) {
    std::string values = ask("SELECT " + column + " FROM " + rows);
    std::ranges::replace(values, ';', ' ');
    return values;
  }
  std::string states() { return listed("state", "makegood_outbox_status ORDER BY sequence"); }
  /// Some columns of one message.
  std::string of(Sequence sequence, const std::string& columns) {
    return ask("SELECT " + columns + " FROM makegood_outbox_status WHERE sequence = " + std::to_string(sequence));
  }
  /// The same in the words of 003.
  std::string by_other_names(Sequence sequence, const std::string& columns) {
    return ask("SELECT " + columns + " FROM makegood_outbox_status_003 WHERE id = " + std::to_string(sequence));
  }

  /// All SQL of docs/<name of the store>.md, each statement with the comment before it.
  static std::vector<std::string> statements_of_its_page();
  /// The first of them whose comment has these words.
  static std::string statement_about(const std::string& words);

 private:
  std::unique_ptr<SqlShell> shell_ = open_shell();
  std::optional<LaneOwner> owner_;
};

}  // namespace makegood::conformance
