// Somebody copies the database, and starts the copy elsewhere.
#include "sim/mistaken_store.hpp"
#include "sim/world.hpp"

namespace makegood::sim {

/// In another environment, or in none, nobody may own a lane of the copy: what is not owned sends nothing. In the same
/// one it is a restored backup, and goes on without a hand.
void World::copy_the_database(Chance& chance) {
  constexpr std::string_view environments[] = {environment, "elsewhere", ""};
  const std::string_view elsewhere = environments[chance.below(std::size(environments))];
  const auto copy = memory::new_database(ids_);
  copy->restore(database_->snapshot());
  const bool was_owned = !copy->access().state().turns.empty();
  const auto store = with_mistakes(memory::open_store(copy, clock_, std::string(elsewhere)), copy, clock_);
  const Owner former = was_owned ? copy->access().state().turns.rbegin()->second.owner : Owner();
  const auto taken = store->take("stranger", options_.lease, former);
  const bool is_ours = !was_owned || elsewhere == environment;
  if (is_ours && !taken) checker_.violated("a restored database was taken for a copy");
  if (!is_ours && taken) checker_.violated("a copy of the database was owned in another environment");
}

}  // namespace makegood::sim
