#include "base/seed.hpp"

#include <random>

namespace makegood {

std::uint64_t seed_of_the_system() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

}  // namespace makegood
