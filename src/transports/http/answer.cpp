#include "transports/http/answer.hpp"
