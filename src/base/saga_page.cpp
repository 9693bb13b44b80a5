#include "base/saga_page.hpp"

#include <algorithm>
#include <iterator>

namespace makegood {
namespace {

bool is_rare(SagaState state) {
  return state != SagaState::completed && state != SagaState::running && state != SagaState::pending;
}

}  // namespace

bool are_rare(const std::vector<SagaState>& states) { return !states.empty() && std::ranges::all_of(states, is_rare); }

SagaPage page_of(std::vector<SagaSlice> slices, std::size_t rows_max) {
  SagaPage page;
  for (SagaSlice& slice : slices) {
    page.next = std::max(page.next, slice.covered_to);
    std::ranges::move(slice.items, std::back_inserter(page.items));
  }
  std::ranges::sort(page.items, std::ranges::greater(), &SagaSummary::execution);
  std::erase_if(page.items, [&](const SagaSummary& item) { return item.execution < page.next; });
  if (page.items.size() > rows_max) {
    page.items.resize(rows_max);
    page.next = page.items.empty() ? page.next : page.items.back().execution;
  }
  return page;
}

}  // namespace makegood
