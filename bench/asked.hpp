// How much is to be measured, where somebody has a wish.
#pragma once

#include <cstddef>
#include <string>

namespace makegood::bench {

struct Asked {
  std::size_t messages = 200'000;   ///< That `drain` and `brokers` drain.
  std::size_t rows = 1'000'000;     ///< Delivered ones that `history` keeps in the log, a tenth as many parked; that
                                    ///< `saga-waiting` has wait.
  std::size_t executions = 40'000;  ///< That `saga` carries out in its fastest parts; slower ones take a share of it.
  std::size_t minutes = 2;          ///< Of steady traffic, where two are compared.
  std::string broker = {};          ///< The URL of one that was started for the run.
};
Asked& asked();

}  // namespace makegood::bench
