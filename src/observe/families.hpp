// How metrics are registered.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/registry.h>

namespace makegood::observe {

inline prometheus::Family<prometheus::Counter>& counter_family(prometheus::Registry& registry, const char* name,
                                                               const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

}  // namespace makegood::observe
