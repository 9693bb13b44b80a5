// The story of a parked delivery as it is kept: a JSON array, one object per attempt.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "makegood/spi/store.hpp"

namespace makegood {

/// {"attempt":2,"at":1715936400000,"outcome":"retry","code":"TX.TIMEOUT"}, times in milliseconds; `error` and `owner`
/// are there when there is something to say.
std::string encode(const AttemptNote& note);
std::string encode_story(const std::vector<AttemptNote>& story);
Result<std::vector<AttemptNote>> decode_story(std::string_view json);

}  // namespace makegood
