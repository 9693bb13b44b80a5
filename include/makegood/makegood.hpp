// Everything but the natives of one database.
#pragma once

#include "makegood/claims.hpp"
#include "makegood/events.hpp"
#include "makegood/handlers.hpp"
#include "makegood/id.hpp"
#include "makegood/node.hpp"
#include "makegood/schema.hpp"
#if __has_include("makegood/http.hpp")  // Not installed where the transport was not built.
#include "makegood/http.hpp"
#endif
