#include "transports/http/secrets.hpp"
