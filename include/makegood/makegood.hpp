// Everything but the natives of one database.
#pragma once

#include "makegood/dispatcher.hpp"
#include "makegood/events.hpp"
#include "makegood/handlers.hpp"
#include "makegood/http.hpp"
#include "makegood/id.hpp"
#include "makegood/observe.hpp"
#include "makegood/registry.hpp"
#include "makegood/schema.hpp"
