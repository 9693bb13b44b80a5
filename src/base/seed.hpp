// Where chance begins: everybody else gets a seed.
#pragma once

#include <cstdint>

namespace makegood {

std::uint64_t seed_of_the_system();

}  // namespace makegood
