#include "transports/http/address.hpp"
