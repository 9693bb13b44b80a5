#include "transports/http/url.hpp"
