#include "transports/http/request.hpp"
