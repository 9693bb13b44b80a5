// What somebody with a shell may delete from a store with tables.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/conformance/store_suite.hpp"

namespace makegood::conformance {

class DeleteSuite : public StoreSuite {
 protected:
  using Names = std::vector<std::string>;

  /// Whether a trigger of ours says no; any other error is thrown on.
  bool is_refused(const std::string& sql) {
    try {
      shell_->ask(sql);
      return false;
    } catch (const std::runtime_error& error) {
      if (std::string_view(error.what()).find("cannot be deleted") == std::string_view::npos) throw;
      return true;
    }
  }

 private:
  std::unique_ptr<SqlShell> shell_ = open_shell();
};

}  // namespace makegood::conformance
