// What the environment says about proxies and passwords is for other programs: the checked address is the connected
// one.
#include <cstdlib>
#include <fstream>

#include "tests/support/temporary_folder.hpp"
#include "tests/unit/http/client/at_a_server.hpp"

namespace makegood::http {
namespace {

using testing_support::reply;

/// Set as long as it lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_.empty()) ::unsetenv(name_);
    if (!before_.empty()) ::setenv(name_, before_.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::string before_;
};

class HttpEnvironment : public AtAServer {
 protected:
  /// Where nobody listens.
  static constexpr const char* dead_proxy = "http://127.0.0.1:1";
};

TEST_F(HttpEnvironment, NamesProxiesThatAreNotUsed) {
  for (const char* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"}) {
    const Variable proxy(name, dead_proxy);
    const Variable exceptions("no_proxy", "");
    EXPECT_EQ(outcome_of(reply(200)).kind, Outcome::Kind::ok) << name;
    EXPECT_EQ(server_->received_count(), 1U) << name;
  }
}

TEST_F(HttpEnvironment, HasPasswordsThatAreNotSent) {
  const testing_support::TemporaryFolder home;
  std::ofstream(home.file(".netrc")) << "default login somebody password s3cret\n";
  const Variable place("HOME", home.path().string());
  EXPECT_EQ(outcome_of(reply(200)).kind, Outcome::Kind::ok);
  EXPECT_FALSE(server_->received().front().headers.contains("authorization"));
}

}  // namespace
}  // namespace makegood::http
