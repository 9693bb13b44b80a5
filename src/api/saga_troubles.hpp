// What is wrong with executions of sagas at this moment.
#pragma once

#include <vector>

#include "api/troubles.hpp"
#include "makegood/spi/saga_store.hpp"

namespace makegood::api {

std::vector<Trouble> troubles_of_sagas(const std::vector<SagaCounts>& counts);

}  // namespace makegood::api
