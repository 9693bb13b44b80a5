#include "config/mistake.hpp"

#include <gtest/gtest.h>

namespace makegood::config {
namespace {

TEST(Mistake, TellsPlaceKeyValueProblemAndAdvice) {
  const Mistake mistake{
      {Origin::Kind::file, "a.yaml", 4}, "tx.outbox.batch", "0", "is out of range", "allowed: 1 to 9"};
  EXPECT_EQ(to_string(mistake), "a.yaml:4: tx.outbox.batch '0' is out of range; allowed: 1 to 9");
}

TEST(Mistake, BecomesAnErrorThatHoldsThemAll) {
  const std::vector<Mistake> mistakes = {{{Origin::Kind::flag, "--set"}, "a", "1", "is bad"},
                                         {{Origin::Kind::environment, "B"}, "b", "2", "is bad"}};
  const Error error = to_error(mistakes);
  EXPECT_EQ(error.code, Errc::config_invalid);
  EXPECT_EQ(error.message, "The configuration has 2 mistakes; correct it and try again.");
  EXPECT_EQ(error.diagnostics, "flag --set: a '1' is bad\nenvironment B: b '2' is bad\n");
}

TEST(Printable, LeavesTextOfAllLanguagesAlone) { EXPECT_EQ(printable("Größe 大小 🙂"), "Größe 大小 🙂"); }

TEST(Printable, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("a\x1b[2Jb\n"), "a\\x1b[2Jb\\x0a");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");           // A control character of two bytes.
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // Right-to-left override.
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Printable, EscapesWhatIsNotUtf8) {
  EXPECT_EQ(printable("\xff"), "\\xff");
  EXPECT_EQ(printable("\xc3"), "\\xc3");                    // Cut short.
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // Longer than needed.
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // Half of a surrogate pair.
}

TEST(MaskedUrl, HidesUserAndPassword) {
  EXPECT_EQ(masked_url("postgres://ann:secret@db/x"), "postgres://***@db/x");
  EXPECT_EQ(masked_url("postgres://ann:se/cr@et@db/x"), "postgres://***@db/x");
  EXPECT_EQ(masked_url("postgres://db/x?user=a&password=secret&b=1"), "postgres://db/x?user=a&password=***&b=1");
  EXPECT_EQ(masked_url("postgres://ann:se?cr@db/x"), "postgres://***@db/x");
  EXPECT_EQ(masked_url("postgres://db/x?password=se@cret"), "postgres://db/x?password=***");
  EXPECT_EQ(masked_url("postgres://db/x?sslpassword=secret"), "postgres://db/x?sslpassword=***");
  EXPECT_EQ(masked_url("sqlite:makegood.db"), "sqlite:makegood.db");
}

TEST(UrlWithoutPassword, KeepsTheUserSoThatACommandCanBeCopied) {
  EXPECT_EQ(url_without_password("postgres://ann:secret@db/x"), "postgres://ann@db/x");
  EXPECT_EQ(url_without_password("postgres://ann@db/x"), "postgres://ann@db/x");
  EXPECT_EQ(url_without_password("postgres://ann:se/cr@et@db/x"), "postgres://ann@db/x");
  EXPECT_EQ(url_without_password("postgres://ann:se?cr@db/x"), "postgres://ann@db/x");
  EXPECT_EQ(url_without_password("postgres://db/x?user=a&password=secret&b=1"), "postgres://db/x?user=a&b=1");
  EXPECT_EQ(url_without_password("postgres://db/x?password=se@cret"), "postgres://db/x");
  EXPECT_EQ(url_without_password("postgres://db/x?b=1&sslpassword=secret"), "postgres://db/x?b=1");
  EXPECT_EQ(url_without_password("sqlite:make@good.db"), "sqlite:make@good.db");
}

TEST(UrlWithoutPassword, MasksWhereItIsNotClearWhatBelongsToIt) {
  EXPECT_EQ(url_without_password("postgres://db/x?options=se@cret"), "postgres://***@cret");
}

}  // namespace
}  // namespace makegood::config
