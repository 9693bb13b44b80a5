#include "config/kubernetes.hpp"

#include <fstream>
#include <sstream>

#include "base/digest.hpp"

namespace makegood::config {
namespace {

std::string content_of(const std::string& path) {
  std::ostringstream content;
  content << std::ifstream(path).rdbuf();
  return content.str();
}

}  // namespace

Reading read_service_account(const std::string& folder) {
  if (folder.empty()) return {};
  const std::string authority = content_of(folder + "/ca.crt");
  const std::string name_space = content_of(folder + "/namespace");
  if (authority.empty() || name_space.empty()) return {};
  const Origin origin{Origin::Kind::kubernetes};
  const std::string name = "kubernetes-" + short_digest(authority + '\n' + name_space);
  return {.assignments = {{find_key("store.environment"), name, origin}}};
}

}  // namespace makegood::config
