#include "daemon/descriptor_limit.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace makegood::daemon {

std::size_t raise_descriptor_limit(std::size_t wanted) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return wanted;
  if (limit.rlim_cur >= wanted) return limit.rlim_cur;
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : before;
}

std::size_t connections_within(std::size_t descriptors, std::size_t reserved) {
  return std::max(descriptors / 4, descriptors > reserved ? descriptors - reserved : 0);
}

}  // namespace makegood::daemon
