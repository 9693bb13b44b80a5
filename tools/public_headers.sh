#!/usr/bin/env bash
# public_headers.sh COMPILER alone|together: the public headers compile as C++20 (and as C, where they are meant for C).
# That each brings along what it needs is the same for all compilers that use the same standard library; so one of them
# compiles each alone, and another all of them at once, which takes a twentieth of the time.
set -euo pipefail
cd "$(dirname "$0")/.."
compiler=$1 way=$2
if ! command -v "$compiler" > /dev/null; then
  echo "skipped: $compiler is not installed"
  exit 77
fi

failed=0
# check LANGUAGE HEADER...
check() {
  local language=$1
  shift
  local flags=(-x "$language" -Wall -Wextra -Werror -fsyntax-only -Iinclude)
  if [[ $language == c++ ]]; then flags+=(-std=c++20); fi
  if ! printf '#include <makegood/%s>\n' "${@#include/makegood/}" | "$compiler" "${flags[@]}" -; then
    echo "$compiler does not compile as $language: $*"
    failed=1
  fi
}

headers=(include/makegood/*.h include/makegood/*.hpp include/makegood/spi/*.hpp)
if [[ $way == together ]]; then
  check c++ "${headers[@]}"
else
  for header in "${headers[@]}"; do check c++ "$header"; done
fi
for header in include/makegood/*.h; do check c "$header"; done
exit $failed
