// From YAML files to what the REST call takes: variables put in, scalars given their types.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "base/json.hpp"
#include "base/nearest.hpp"
#include "cli/apply.hpp"
#include "cli/substitution.hpp"
#include "cli/yaml_node.hpp"
#include "config/mistake.hpp"
#include "config/yaml_bounds.hpp"

namespace makegood::cli {
namespace {

constexpr std::size_t yaml_bytes_max = std::size_t{16} << 20;
const std::vector<std::string> document_keys = {"outbox", "destinations", "routes", "sources", "sagas"};

class DocumentReader {
 public:
  DocumentReader(const std::string& file, const std::shared_ptr<const std::string>& text,
                 const config::Environment& environment, FilesRead& files)
      : file_(file), text_(text), environment_(environment), files_(files), mistakes_(files.mistakes) {}

  /// Adds what a document wants to what the ones before it want of the same outbox.
  void read(const YAML::Node& document, std::map<std::string, WantedOutbox>& wanted) {
    if (document.IsNull()) return;
    if (!document.IsMap()) {
      return complain(document, {}, "is not a map", "write outbox:, destinations:, routes:, sources: and sagas:");
    }
    // A saga alone, as REST takes it.
    if (document["steps"]) return add_saga(document, {});
    check_keys(document);
    add_sagas(document["sagas"]);
    const bool is_of_sagas = document["sagas"] && document.size() == 1;
    if (!is_of_sagas) read_outbox(document, wanted);
  }

  void complain(int line, std::string problem, std::string advice) {
    const config::Origin where{config::Origin::Kind::file, file_, line};
    mistakes_.push_back({.where = where, .key = {}, .problem = std::move(problem), .advice = std::move(advice)});
  }

  void complain(const YAML::Mark& mark, std::string key, std::string problem, std::string advice) {
    const config::Origin where{config::Origin::Kind::file, file_, mark.is_null() ? 0 : mark.line + 1};
    mistakes_.push_back(
        {.where = where, .key = std::move(key), .problem = std::move(problem), .advice = std::move(advice)});
  }

 private:
  void complain(const YAML::Node& at, std::string key, std::string problem, std::string advice) {
    complain(at.Mark(), std::move(key), std::move(problem), std::move(advice));
  }

  void read_outbox(const YAML::Node& document, std::map<std::string, WantedOutbox>& wanted) {
    const YAML::Node name = document["outbox"];
    const std::string outbox = name && name.IsScalar() ? substituted(name) : std::string();
    WantedOutbox& one = wanted[outbox];
    one.outbox = outbox;
    if (std::ranges::find(one.files, file_) == one.files.end()) one.files.push_back(file_);
    add_list(document, "destinations", one.destinations);
    add_list(document, "routes", one.routes);
    add_list(document, "sources", one.sources);
    check_sources(document["sources"]);
  }

  void check_sources(const YAML::Node& sources) {
    if (!sources || !sources.IsSequence()) return;
    for (const YAML::Node& source : sources) {
      const bool has_name = source.IsMap() && source["name"] && source["name"].IsScalar();
      if (!has_name) complain(source, "sources", "has a source without a name", "write name: kafka:orders");
    }
  }

  void add_sagas(const YAML::Node& sagas) {
    if (!sagas || sagas.IsNull()) return;
    if (!sagas.IsSequence()) return complain(sagas, "sagas", "is not a list", "begin each item with -");
    for (std::size_t i = 0; i < sagas.size(); ++i) add_saga(sagas[i], fmt::format("/sagas/{}", i));
  }

  /// Templates are not variables: nothing is put in here.
  void add_saga(const YAML::Node& saga, const std::string& pointer) {
    std::vector<api::DocumentMistake> mistakes;
    const api::DocumentNode node = node_from_yaml(saga, mistakes);
    api::SagaDocument read = api::read_saga(node, pointer);
    std::ranges::copy(read.mistakes, std::back_inserter(mistakes));
    const std::string name = read.definition.name;
    std::vector<WantedSaga>& known = files_.wanted.sagas;
    const auto other = std::ranges::find(known, name, &WantedSaga::name);
    if (!name.empty() && other != known.end()) {
      mistakes.push_back(
          {pointer + "/name", node.place, fmt::format("is {}, as a saga in {} has it", name, other->file)});
    }
    for (const api::DocumentMistake& mistake : mistakes) complain(mistake);
    known.push_back({file_, name, api::json_of(node), std::move(read), text_});
  }

  void complain(const api::DocumentMistake& mistake) {
    const config::Origin where{config::Origin::Kind::file, file_, mistake.place.line, mistake.place.column};
    mistakes_.push_back({.where = where,
                         .key = mistake.pointer,
                         .problem = mistake.problem,
                         .excerpt = mistake.excerpt.empty() ? excerpt_of(*text_, mistake.place) : mistake.excerpt});
  }

  void check_keys(const YAML::Node& document) {
    for (const auto& entry : document) {
      const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : std::string();
      if (std::ranges::find(document_keys, key) != document_keys.end()) continue;
      const std::string meant = nearest(key, document_keys);
      complain(entry.first, key, "is not known here",
               meant.empty() ? "allowed: outbox, destinations, routes, sagas" : fmt::format("is it {}?", meant));
    }
  }

  void add_list(const YAML::Node& document, const std::string& key, std::string& list) {
    const YAML::Node items = document[key];
    if (!items) return;
    if (!items.IsSequence() && !items.IsNull()) return complain(items, key, "is not a list", "begin each item with -");
    std::string joined = list.empty() ? std::string() : list.substr(1, list.size() - 2);
    for (const YAML::Node& item : items) {
      rapidjson::StringBuffer text;
      json::Writer writer(text);
      write(writer, item, key);
      joined += joined.empty() ? "" : ",";
      joined.append(text.GetString(), text.GetSize());
    }
    list = "[" + joined + "]";
  }

  void write(json::Writer& writer, const YAML::Node& node, const std::string& key) {
    switch (node.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        writer.Null();
        return;
      case YAML::NodeType::Scalar:
        return write_scalar(writer, node);
      case YAML::NodeType::Sequence:
        writer.StartArray();
        for (const YAML::Node& item : node) write(writer, item, key);
        writer.EndArray();
        return;
      case YAML::NodeType::Map:
        return write_map(writer, node, key);
    }
  }

  void write_map(json::Writer& writer, const YAML::Node& node, const std::string& key) {
    std::set<std::string> names;
    writer.StartObject();
    for (const auto& entry : node) {
      if (!entry.first.IsScalar()) {
        complain(entry.first, key, "has a name that is not a word", "write name: value");
        continue;
      }
      const std::string& name = entry.first.Scalar();
      if (!names.insert(name).second) complain(entry.first, key + "." + name, "is there twice", "keep one of them");
      json::write_name(writer, name);
      write(writer, entry.second, key + "." + name);
    }
    writer.EndObject();
  }

  void write_scalar(json::Writer& writer, const YAML::Node& node) {
    const std::string text = substituted(node);
    const bool is_quoted = node.Tag() == "!";
    if (is_quoted) return json::write_text(writer, text);
    if (text == "true" || text == "false") {
      writer.Bool(text == "true");
    } else if (text == "null" || text == "~") {
      writer.Null();
    } else if (is_json_number(text)) {
      writer.RawValue(text.data(), text.size(), rapidjson::kNumberType);
    } else {
      json::write_text(writer, text);
    }
  }

  std::string substituted(const YAML::Node& node) {
    const Substituted made = substitute(node.Scalar(), environment_);
    for (const std::string& name : made.missing) {
      complain(node, {}, fmt::format("names the variable {}, which is not set", name),
               fmt::format("set it, or write ${{{}:-default}}", name));
    }
    if (made.is_open) complain(node, {}, "has a ${ that does not end", "write ${NAME}, or $${ for the characters");
    return made.text;
  }

  const std::string& file_;
  const std::shared_ptr<const std::string>& text_;
  const config::Environment& environment_;
  FilesRead& files_;
  std::vector<config::Mistake>& mistakes_;
};

bool is_yaml(const std::filesystem::path& file) { return file.extension() == ".yaml" || file.extension() == ".yml"; }

Result<std::vector<std::string>> files_of(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return std::vector<std::string>{path};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    if (is_yaml(entry.path())) files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  if (!files.empty()) return files;
  return Error{Errc::config_invalid, fmt::format("There is no *.yaml in the folder {}.", path)};
}

Result<std::string> yaml_text(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  if (!stream) return Error{Errc::config_invalid, fmt::format("{} cannot be read; name a file or a folder.", file)};
  if (text.size() <= yaml_bytes_max) return text;
  return Error{Errc::config_invalid, fmt::format("{} is larger than 16 MiB; use several files.", file)};
}

void read_documents(const std::string& text, DocumentReader& reader, std::map<std::string, WantedOutbox>& wanted) {
  try {
    if (const auto excess = config::yaml_excess(text))
      return reader.complain(excess->line, excess->problem, excess->advice);
    for (const YAML::Node& document : YAML::LoadAll(text)) reader.read(document, wanted);
  } catch (const YAML::Exception& failure) {
    reader.complain(failure.mark, {}, "is not YAML: " + failure.msg, "look for what is not closed above it");
  }
}

}  // namespace

std::set<std::string> destination_names(const WantedOutbox& outbox) {
  std::set<std::string> names;
  if (outbox.destinations.empty()) return names;
  rapidjson::Document list;
  list.Parse(outbox.destinations.data(), outbox.destinations.size());
  if (list.HasParseError() || !list.IsArray()) return names;
  for (const json::Value& one : list.GetArray()) {
    const json::Value* name = one.IsObject() ? json::member(one, "name") : nullptr;
    if (name != nullptr && name->IsString()) names.insert(json::text_of(*name));
  }
  return names;
}

std::vector<WantedSource> wanted_sources(const WantedOutbox& outbox) {
  std::vector<WantedSource> sources;
  if (outbox.sources.empty()) return sources;
  rapidjson::Document list;
  list.Parse(outbox.sources.data(), outbox.sources.size());
  if (list.HasParseError() || !list.IsArray()) return sources;
  for (const json::Value& one : list.GetArray()) {
    const json::Value* name = one.IsObject() ? json::member(one, "name") : nullptr;
    rapidjson::StringBuffer text;
    json::Writer writer(text);
    one.Accept(writer);
    sources.push_back({name != nullptr && name->IsString() ? json::text_of(*name) : std::string(),
                       std::string(text.GetString(), text.GetSize())});
  }
  return sources;
}

Result<FilesRead> read_files(const std::vector<std::string>& paths, const config::Environment& environment) {
  std::map<std::string, WantedOutbox> wanted;
  FilesRead read;
  for (const std::string& path : paths) {
    for (const std::string& file : MAKEGOOD_TRY(files_of(path))) {
      const auto text = std::make_shared<const std::string>(MAKEGOOD_TRY(yaml_text(file)));
      DocumentReader reader(file, text, environment, read);
      read_documents(*text, reader, wanted);
    }
  }
  for (auto& [outbox, one] : wanted) read.wanted.outboxes.push_back(std::move(one));
  return read;
}

Result<Wanted> read_wanted(const std::vector<std::string>& paths, const config::Environment& environment) {
  FilesRead read = MAKEGOOD_TRY(read_files(paths, environment));
  if (read.mistakes.empty()) return std::move(read.wanted);
  Error error = config::to_error(read.mistakes);
  error.message = "The files have mistakes; nothing was changed.";
  return error;
}

}  // namespace makegood::cli
