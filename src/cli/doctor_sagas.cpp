// Executions of sagas that do not go on by themselves.
#include "api/saga_troubles.hpp"
#include "cli/doctor.hpp"
#include "config/mistake.hpp"
#include "makegood/spi/registry.hpp"

namespace makegood::cli {

Diagnoses examine_sagas(const std::string& store_url) {
  using enum Diagnosis::State;
  const auto view = open_saga_view(store_url);
  if (!view && api::tells_of_sagas(view.error(), store_url)) {
    const api::Trouble trouble = api::trouble_of_sagas(view.error(), config::url_without_password(store_url));
    return {{wrong, "sagas", trouble.what, trouble.advice}};
  }
  if (!view) return {};  // What is wrong with the store was told of its outboxes; one without sagas is well.
  const auto counts = (*view)->counts();
  if (!counts) return {{wrong, "sagas", counts.error().message, "Look at the store's own log."}};
  Diagnoses found;
  for (const api::Trouble& trouble : api::troubles_of_sagas(*counts)) {
    found.push_back(
        {warning, "sagas", trouble.what, trouble.advice + " --store " + config::url_without_password(store_url)});
  }
  if (found.empty()) found.push_back({good, "sagas", "None waits for a person, and none has failed."});
  return found;
}

}  // namespace makegood::cli
