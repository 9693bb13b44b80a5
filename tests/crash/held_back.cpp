#include "tests/crash/held_back.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "makegood/spi/assert.hpp"

namespace makegood::crash {
namespace {

constexpr std::size_t sector = 512;

std::string content_of(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

HeldBackFile::HeldBackFile(std::string path)
    : path_(std::move(path)),
      descriptor_(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)),
      on_disk_(content_of(path_)),
      content_(on_disk_) {
  MAKEGOOD_ASSERT(descriptor_ >= 0);
}

HeldBackFile::~HeldBackFile() { ::close(descriptor_); }

void HeldBackFile::apply(const Change& change, std::string& content) {
  if (change.is_truncation) {
    content.resize(change.offset);
    return;
  }
  content.resize(std::max(content.size(), change.offset + change.bytes.size()));
  content.replace(change.offset, change.bytes.size(), change.bytes);
}

void HeldBackFile::apply_torn(const Change& change, std::string& content, std::mt19937& random) {
  if (change.is_truncation) return apply(change, content);
  for (std::size_t at = 0; at < change.bytes.size(); at += sector) {
    if (random() % 2 == 0) continue;
    apply({.offset = change.offset + at, .bytes = change.bytes.substr(at, sector), .is_truncation = false}, content);
  }
}

void HeldBackFile::write(std::size_t offset, std::string_view bytes) {
  held_back_.push_back({.offset = offset, .bytes = std::string(bytes), .is_truncation = false});
  apply(held_back_.back(), content_);
}

void HeldBackFile::truncate(std::size_t size) {
  held_back_.push_back({.offset = size, .bytes = {}, .is_truncation = true});
  apply(held_back_.back(), content_);
}

void HeldBackFile::write_out(const std::string& content) {
  MAKEGOOD_ASSERT(::ftruncate(descriptor_, static_cast<off_t>(content.size())) == 0);
  MAKEGOOD_ASSERT(::pwrite(descriptor_, content.data(), content.size(), 0) == static_cast<ssize_t>(content.size()));
  on_disk_ = content;
}

void HeldBackFile::sync() {
  if (held_back_.empty()) return;
  held_back_.clear();
  write_out(content_);
}

void HeldBackFile::lose_power(std::mt19937& random) {
  std::string arrived = on_disk_;
  enum { none, all, some, torn };
  const auto what = random() % 4;
  for (const Change& change : held_back_) {
    if (what == all || (what == some && random() % 2 == 0)) apply(change, arrived);
    if (what == torn) apply_torn(change, arrived, random);
  }
  write_out(arrived);
}

HeldBackFilePtr HeldBackDisk::open(const std::string& path, bool is_new) {
  HeldBackFilePtr& file = files_[path];
  if (file) return file;
  file = std::make_shared<HeldBackFile>(path);
  file->is_listed = !is_new;
  return file;
}

HeldBackFilePtr HeldBackDisk::find(const std::string& path) const {
  const auto file = files_.find(path);
  return file == files_.end() ? nullptr : file->second;
}

void HeldBackDisk::sync(HeldBackFile& file, bool with_folder) {
  file.sync();
  if (with_folder && !file.is_listed) sync_folder();
}

void HeldBackDisk::sync_folder() {
  for (auto& [path, file] : files_) file->is_listed = true;
  removed_.clear();
}

void HeldBackDisk::remove(const std::string& path, bool with_folder) {
  const auto file = files_.find(path);
  const bool would_come_back = file == files_.end() || file->second->is_listed;
  if (would_come_back) removed_[path] = content_of(path);
  if (file != files_.end()) files_.erase(file);
  std::filesystem::remove(path);
  if (with_folder) sync_folder();
}

void HeldBackDisk::write_back() {
  for (auto& [path, file] : files_) file->sync();
}

void HeldBackDisk::lose_power(std::mt19937& random) {
  for (const auto& [path, content] : removed_) {
    const bool is_back = random() % 2 == 0 && !files_.contains(path);
    if (is_back) std::ofstream(path, std::ios::binary) << content;
  }
  for (const auto& [path, file] : files_) {
    file->lose_power(random);
    if (!file->is_listed && random() % 2 == 0) std::filesystem::remove(path);
  }
}

}  // namespace makegood::crash
