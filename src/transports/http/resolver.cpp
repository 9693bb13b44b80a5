#include "transports/http/resolver.hpp"
