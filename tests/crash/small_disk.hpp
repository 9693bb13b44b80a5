// A disk of a few megabytes that can be filled, in a mount namespace of this process alone: it is gone with the
// process, however that ends.
#pragma once

#include <filesystem>
#include <string>

namespace makegood::crash {

/// Empty, or why it is not possible here. The process must have one thread only.
std::string mount_small_disk(const std::filesystem::path& folder, std::size_t bytes);

/// Takes all the room that there is, but for so many bytes, and gives it back.
void fill_disk(const std::filesystem::path& folder, std::size_t leaving = 0);
void free_disk(const std::filesystem::path& folder);

}  // namespace makegood::crash
