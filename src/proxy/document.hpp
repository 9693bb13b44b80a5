// The options of a proxy as people write them, and what describes that form.
#pragma once

#include <string>
#include <vector>

#include "api/document_node.hpp"
#include "proxy/options.hpp"

namespace makegood::proxy {

struct ProxyDocument {
  ProxyOptions options = {};
  std::vector<api::DocumentMistake> mistakes = {};  ///< All of them; none: it can be checked.
};
ProxyDocument read_document(const api::DocumentNode& document);

/// The JSON Schema, for editors.
std::string document_schema();
/// The reference page, in Markdown.
std::string document_page();

}  // namespace makegood::proxy
