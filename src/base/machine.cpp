#include "base/machine.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "base/digest.hpp"

namespace makegood {
namespace {

/// As Docker, Podman, systemd and Kubernetes leave them behind.
constexpr std::array container_marks = {".dockerenv", "run/.containerenv", "run/systemd/container",
                                        "var/run/secrets/kubernetes.io"};
/// The kernel's number for the first namespace of processes, the same on every machine.
constexpr std::string_view first_processes = "pid:[4026531836]";

bool is_in_first_processes(const std::string& root) {
  std::array<char, 64> name{};
  const ssize_t length = readlink((root + "proc/self/ns/pid").c_str(), name.data(), name.size());
  return length < 0 || std::string_view(name.data(), static_cast<std::size_t>(length)) == first_processes;
}

bool is_container(const std::string& root) {
  const auto is_there = [&root](const char* mark) { return access((root + mark).c_str(), F_OK) == 0; };
  return std::ranges::any_of(container_marks, is_there) || !is_in_first_processes(root);
}

}  // namespace

std::string machine_digest(const std::string& root) {
  if (is_container(root)) return {};
  std::ifstream file(root + "etc/machine-id");
  std::string id;
  if (!(file >> id) || id == "uninitialized") return {};
  return short_digest("makegood machine\n" + id);
}

}  // namespace makegood
