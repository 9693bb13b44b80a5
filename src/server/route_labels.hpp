// From a path to the route it belongs to, for labels: a path has names of outboxes and numbers, a route has none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace makegood::server {

class RouteLabels {
 public:
  /// Those of the API, those of the server itself and, last, `other`.
  explicit RouteLabels(const std::string& metrics_path);

  std::size_t find(std::string_view method, std::string_view path);
  std::size_t size() const { return labels_.size(); }
  /// `method="GET",route="/api/outboxes"`
  const std::string& label(std::size_t index) const { return labels_.at(index); }

 private:
  struct Route {
    std::string method;
    std::string path;
  };
  void add(std::string_view method, std::string_view path);

  std::vector<Route> routes_;
  std::vector<std::string> labels_;
  std::size_t last_found_ = 0;  ///< Most calls are like the one before.
};

}  // namespace makegood::server
