#include "transports/http/guard.hpp"
