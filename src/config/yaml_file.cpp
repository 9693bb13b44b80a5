#include "config/yaml_file.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "config/yaml_bounds.hpp"

namespace makegood::config {
namespace {

constexpr std::size_t file_bytes_max = std::size_t{1} << 20;

Origin in_file(const std::string& file, const YAML::Mark& mark = YAML::Mark::null_mark()) {
  return {Origin::Kind::file, file, mark.is_null() ? 0 : mark.line + 1};
}

/// Walks the document and turns it into assignments.
class Walk {
 public:
  Walk(std::string file, Reading& reading) : file_(std::move(file)), reading_(reading) {}

  void map(const YAML::Node& map, const std::string& prefix) {
    std::set<std::string> sections;
    for (const auto& entry : map) {
      if (!entry.first.IsScalar()) {
        complain(entry.first, {}, {}, "is not a key", "use a name");
        continue;
      }
      const std::string name = prefix + entry.first.Scalar();
      if (const Key* key = find_key(name)) {
        leaf(*key, entry.first, entry.second);
      } else if (!is_section(name)) {
        reading_.findings.mistakes.push_back(unknown_key(name, in_file(file_, entry.first.Mark())));
      } else if (!sections.insert(name).second) {
        complain(entry.first, name, {}, "is there twice", "keep one of them");
      } else {
        section(name, entry.first, entry.second);
      }
    }
  }

 private:
  void section(const std::string& name, const YAML::Node& key, const YAML::Node& value) {
    if (value.IsNull()) return;  // All of its keys are commented out.
    if (!value.IsMap()) return complain(key, name, {}, "is a section, not a value", "put its keys below it");
    map(value, name + ".");
  }

  void leaf(const Key& key, const YAML::Node& name, const YAML::Node& value) {
    const auto [first, is_first] = lines_.emplace(key.name, name.Mark().line + 1);
    if (!is_first) {
      return complain(name, std::string(key.name), {}, fmt::format("is there twice, first in line {}", first->second),
                      "keep one of them");
    }
    if (value.IsNull()) return complain(name, std::string(key.name), {}, "has no value", "allowed: " + allowed(key));
    if (std::optional<Raw> raw = raw_of(key, value)) {
      reading_.assignments.push_back({&key, std::move(*raw), in_file(file_, name.Mark())});
    }
  }

  std::optional<Raw> raw_of(const Key& key, const YAML::Node& value) {
    if (value.IsScalar()) return value.Scalar();
    if (value.IsSequence()) return list(key, value);
    return files(key, value);
  }

  std::optional<Raw> list(const Key& key, const YAML::Node& value) {
    std::vector<std::string> items;
    for (const YAML::Node& item : value) {
      if (!item.IsScalar()) {
        complain(item, std::string(key.name), {}, "has an item that is not a plain value", "allowed: " + allowed(key));
        return {};
      }
      items.push_back(item.Scalar());
    }
    return items;
  }

  std::optional<Raw> files(const Key& key, const YAML::Node& value) {
    const std::filesystem::path folder = std::filesystem::path(file_).parent_path();
    std::vector<SchemaFile> files;
    std::set<std::string> patterns;
    for (const auto& entry : value) {
      if (!entry.first.IsScalar() || !entry.second.IsScalar()) {
        complain(entry.first, std::string(key.name), {}, "has an entry that is not plain", "allowed: " + allowed(key));
        return {};
      }
      if (!patterns.insert(entry.first.Scalar()).second) {
        complain(entry.first, std::string(key.name), entry.first.Scalar(), "is there twice", "keep one of them");
        return {};
      }
      files.push_back({entry.first.Scalar(), (folder / entry.second.Scalar()).string()});
    }
    return files;
  }

  void complain(const YAML::Node& at, std::string key, std::string value, std::string problem, std::string advice) {
    reading_.findings.mistakes.push_back(
        {in_file(file_, at.Mark()), std::move(key), std::move(value), std::move(problem), std::move(advice)});
  }

  const std::string file_;
  Reading& reading_;
  std::map<std::string_view, int> lines_;
};

Result<std::string> read_text(const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) return Error{Errc::config_invalid, "is a folder"};
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return Error{Errc::config_invalid, fmt::format("cannot be read: {}", std::strerror(errno))};
  std::string text(file_bytes_max + 1, '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(stream.gcount()));
  if (text.size() > file_bytes_max) return Error{Errc::config_invalid, "is larger than 1 MiB"};
  return text;
}

void walk_document(const std::string& file, const std::string& text, Reading& reading) {
  if (const auto excess = yaml_excess(text)) {
    const Origin where{Origin::Kind::file, file, excess->line};
    reading.findings.mistakes.push_back({where, {}, {}, excess->problem, excess->advice});
    return;
  }
  const std::vector<YAML::Node> documents = YAML::LoadAll(text);
  if (documents.empty() || documents.front().IsNull()) return;
  if (documents.size() > 1) {
    reading.findings.mistakes.push_back(
        {in_file(file, documents[1].Mark()), {}, {}, "has a second document", "keep one"});
  }
  const YAML::Node& root = documents.front();
  if (root.IsMap()) return Walk(file, reading).map(root, "");
  reading.findings.mistakes.push_back({in_file(file, root.Mark()), {}, {}, "is not a map of keys", "write key: value"});
}

}  // namespace

Reading read_yaml_file(const std::string& file) {
  Reading reading;
  const Result<std::string> text = read_text(file);
  if (!text) {
    reading.findings.mistakes.push_back({in_file(file), {}, {}, text.error().message, "name another file"});
    return reading;
  }
  try {
    walk_document(file, *text, reading);
  } catch (const YAML::Exception& failure) {
    Origin where = in_file(file, failure.mark);
    where.column = failure.mark.is_null() ? 0 : failure.mark.column + 1;
    reading.findings.mistakes.push_back({std::move(where), {}, {}, "is not YAML: " + failure.msg, {}});
  }
  return reading;
}

}  // namespace makegood::config
