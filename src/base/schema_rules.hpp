// What a JSON Schema may say here. The validator knows draft 4 and passes over whatever else it meets, so a rule that
// it does not know would be one that nobody keeps: it is refused before it is used.
#pragma once

#include <rapidjson/document.h>

#include <string>
#include <vector>

namespace makegood {

/// Each place where the schema says something that would not be checked, in the order of the document; none: it is
/// good.
std::vector<std::string> mistakes_in_schema(const rapidjson::Document& schema);

}  // namespace makegood
