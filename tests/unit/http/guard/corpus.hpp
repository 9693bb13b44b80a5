// The data files beside this one: URLs, what their names are looked up as, and what must become of them.
#pragma once

#include <string>
#include <vector>

#include "tests/support/dns_server.hpp"

namespace makegood::http {

struct Vector {
  std::size_t line = 0;
  std::string first;  ///< Which part refuses it, or what becomes of it.
  std::string who;
  std::string url;
  std::vector<testing_support::DnsReply> answers;  ///< One after the other; empty: no look-up.
  std::string why;
};

std::vector<Vector> read_corpus(const std::string& file);

}  // namespace makegood::http
