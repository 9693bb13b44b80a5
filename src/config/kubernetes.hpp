// What a pod knows of the cluster that it runs in.
#pragma once

#include <string>
#include <string_view>

#include "config/assignment.hpp"

namespace makegood::config {

inline constexpr std::string_view service_account_folder = "/var/run/secrets/kubernetes.io/serviceaccount";

/// `store.environment`, made of the cluster's CA and the namespace: alike in all pods of a namespace, and nowhere else.
/// Nothing where there is no such folder.
Reading read_service_account(const std::string& folder);

}  // namespace makegood::config
