// What is wrong with executions of sagas at this moment.
#pragma once

#include <vector>

#include "api/troubles.hpp"
#include "makegood/spi/saga_store.hpp"

namespace makegood::api {

std::vector<Trouble> troubles_of_sagas(const std::vector<SagaCounts>& counts);
/// Whether there are tables, of another version: executions stand still. Without tables nobody has asked for sagas.
bool tells_of_sagas(const Error& error, const std::string& store_url);
/// They could not be read.
Trouble trouble_of_sagas(const Error& error, const std::string& shown_url);

}  // namespace makegood::api
