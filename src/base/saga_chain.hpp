// Chain expressions: the order of a saga's steps as one line, over the names of its steps.
//
//   THEN(validate, WHEN(reserve, pay), IF(input.vip, gift), SWITCH(route.to).to(air, sea).DEFAULT(road))
//
// They become what a list of steps becomes: groups one after another, and conditions. `IF` and `SWITCH` read the output
// of a step (which is carried out there, unless it stands before), the input, or a condition in quotes; what they read
// never changes, so that each step of a branch finds the same. Sequences inside `WHEN` go in step: all that stand first
// run side by side, then all that stand second.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/template_syntax.hpp"

namespace makegood {

struct ChainMistake {
  std::size_t offset = 0;  ///< In the text.
  std::string problem;     ///< Reads on from the name of the field.
};

struct ChainStep {
  std::string name;
  std::size_t group = 0;
  Condition condition = {};  ///< Without a line: none.
  std::size_t offset = 0;    ///< Of its name in the text.
};

struct Chain {
  std::string name = {};  ///< Of `<chain name="…">`; empty: there is no such element.
  std::vector<ChainStep> steps = {};
  std::vector<ChainMistake> mistakes = {};  ///< The first that stops the reading, or all steps that are there twice.
};

Chain read_chain(std::string_view text);

/// The line of the text with a mark under the place.
std::string chain_excerpt(std::string_view text, std::size_t offset);

}  // namespace makegood
