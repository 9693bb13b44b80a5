#include "transports/http/target.hpp"
