#!/usr/bin/env bash
# headers_alone.sh COMPILER: each public header compiles alone, as C++20 (and as C, where it is meant for C).
set -euo pipefail
cd "$(dirname "$0")/.."
compiler=$1
if ! command -v "$compiler" > /dev/null; then
  echo "skipped: $compiler is not installed"
  exit 77
fi

failed=0
check() {
  local header=$1
  shift
  if ! echo "#include <makegood/${header##*/}>" | "$compiler" "$@" -Wall -Wextra -Werror -fsyntax-only -Iinclude -; then
    echo "$header does not compile alone with: $compiler $*"
    failed=1
  fi
}

for header in include/makegood/*; do
  check "$header" -std=c++20 -x c++
  if [[ $header == *.h ]]; then check "$header" -x c; fi
done
exit $failed
