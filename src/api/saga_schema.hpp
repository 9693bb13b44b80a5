// What the document of a saga may say, made from its description: a JSON Schema, and the page of the reference.
#pragma once

#include <string>

namespace makegood::api {

/// Draft 4, which editors and our own check of payloads know.
std::string saga_schema();
/// In Markdown.
std::string saga_page();

}  // namespace makegood::api
